import { createKey, revokeKey, showKeys } from '../../sql/key.ts'
import { hashApiKey } from '../secrets.ts'
import { requireAccount, requireUsable } from './account.ts'
import { explainMissing, formatTable, parseId } from './print.ts'
import type { Runs } from './verb.ts'

export const runs: Runs = {
  async create({ db, config }, [id], { name }) {
    const account = await requireUsable({ db }, id)
    const mode = account.isTest ? 'test' : 'live'
    const hash = (key: string) => hashApiKey(config.secret, key)
    const apiKey = await createKey(db, { accountId: account.id, mode, hash, name })
    return { data: { accountId: account.id, apiKey }, text: apiKey }
  },
  async list({ db }, [id]) {
    const keys = await showKeys(db, parseId('an account', id))
    return {
      data: keys,
      text: formatTable(
        ['prefix', 'name', 'mode', 'created', 'last used', 'works until'],
        keys.map(({ prefix, name, mode, createdAt, lastUsedAt, endsAt }) => [
          prefix,
          name,
          mode,
          createdAt,
          lastUsedAt,
          endsAt,
        ]),
      ),
    }
  },
  async revoke({ db }, [id, prefix]) {
    const { id: accountId } = await requireAccount({ db }, id)
    await revokeKey(db, accountId, prefix!).catch(explainMissing(`The account has no key ${prefix}.`))
    return { data: { revoked: prefix }, text: 'revoked' }
  },
}
