import { createKey, listKeys, revokeKey } from '../../sql/key.ts'
import { hashApiKey } from '../secrets.ts'
import { requireAccount } from './account.ts'
import { formatTable, parseId } from './print.ts'
import type { Verbs } from './verb.ts'

export const verbs: Verbs = {
  create: {
    args: ['<account>'],
    summary: 'Create a key and print it; it cannot be shown again.',
    async run({ db, config }, [id]) {
      const account = await requireAccount({ db }, id)
      const mode = account.isTest ? 'test' : 'live'
      const apiKey = await createKey(db, { accountId: account.id, mode, hash: key => hashApiKey(config.secret, key) })
      return { data: { accountId: account.id, apiKey }, text: apiKey }
    },
  },
  list: {
    args: ['<account>'],
    summary: 'Print the prefixes of the keys of an account.',
    async run({ db }, [id]) {
      const keys = await listKeys(db, parseId('an account', id))
      return {
        data: keys,
        text: formatTable(
          ['prefix', 'mode', 'created'],
          keys.map(key => [key.prefix, key.mode, key.created_at]),
        ),
      }
    },
  },
  revoke: {
    args: ['<account>', '<prefix>'],
    summary: 'Revoke a key, named by its prefix.',
    async run({ db }, [id, prefix]) {
      await revokeKey(db, parseId('an account', id), prefix!)
      return { data: { revoked: prefix }, text: 'revoked' }
    },
  },
}
