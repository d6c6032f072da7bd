import { Type } from 'typebox'
import { Choice, type KeyMode, MICROS_PER_USD, usd } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { type KeyWithLimits, rotateKey, showKeys } from '../../../sql/key.ts'
import type { ApiContext } from '../../context.ts'

/** Products that an account must enrol in before it can use them. There are none yet. */
export const PRODUCTS: ReadonlySet<string> = new Set()

export const ProductState = Type.Object({ product: Type.String(), enabled: Type.Boolean() })

export const KeyPrefix = Type.Object({ prefix: Type.String({ minLength: 1, maxLength: 64 }) })

const NullableMicros = Type.Union([Type.String(), Type.Null()])

export const ApiKey = Type.Object({
  prefix: Type.String(),
  mode: Choice(['live', 'test']),
  createdAt: Type.String(),
  callCapMicros: NullableMicros,
  dailyCapMicros: NullableMicros,
  spentTodayMicros: Type.String(),
})

/** Revokes the key with the prefix `former`, or else the newest, and returns the new key, which is never shown again. */
export async function issueKey(
  { db, keys, config }: ApiContext,
  account: { accountId: string; mode: KeyMode },
  former: string | undefined,
): Promise<{ apiKey: string; key: KeyWithLimits }> {
  const [newest] = await showKeys(db, account.accountId)
  const hash = (key: string) => hashApiKey(config.secret, key)
  const apiKey = await rotateKey(db, { ...account, former: former ?? newest?.prefix, hash })
  keys.forget()
  const shown = await showKeys(db, account.accountId)
  return { apiKey, key: shown.find(({ prefix }) => apiKey.startsWith(prefix))! }
}

/** Reads an amount of dollars; an empty amount means no limit. */
export function parseCap(dollars: string | null): bigint | null {
  if (dollars === null || dollars.trim() === '') return null
  const micros = usd(dollars.trim().replace(/^\$/, ''))
  if (micros < 1n || micros > 1_000_000n * MICROS_PER_USD)
    throw new RangeError('the limit of a key must be above 0 and at most 1000000 dollars')
  return micros
}
