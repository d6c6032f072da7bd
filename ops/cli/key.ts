import { createKey, listKeys, revokeKey } from '../../sql/key.ts'
import { hashApiKey } from '../secrets.ts'
import { mustRead } from './account.ts'
import { idOf, table } from './print.ts'
import type { Verbs } from './verb.ts'

export const verbs: Verbs = {
  create: {
    args: ['<account>'],
    summary: 'Mint a key and print it; it is shown this once.',
    async run({ db, config }, [id]) {
      const account = await mustRead({ db }, id)
      const mode = account.isTest ? 'test' : 'live'
      const apiKey = await createKey(db, { accountId: account.id, mode, hash: key => hashApiKey(config.secret, key) })
      return { data: { accountId: account.id, apiKey }, text: apiKey }
    },
  },
  list: {
    args: ['<account>'],
    summary: 'Print the keys of an account by their prefixes.',
    async run({ db }, [id]) {
      const keys = await listKeys(db, idOf('an account', id))
      return {
        data: keys,
        text: table(
          ['prefix', 'mode', 'created'],
          keys.map(key => [key.prefix, key.mode, key.created_at]),
        ),
      }
    },
  },
  revoke: {
    args: ['<account>', '<prefix>'],
    summary: 'End a key, named by its prefix.',
    async run({ db }, [id, prefix]) {
      await revokeKey(db, idOf('an account', id), prefix!)
      return { data: { revoked: prefix }, text: 'revoked' }
    },
  },
}
