import { Type } from 'typebox'
import { Choice, type KeyMode, MICROS_PER_USD, usd } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { rotateKey, type ShownKey, showKeys } from '../../../sql/key.ts'
import type { Floor } from '../../floor.ts'

/** Products that want an enrolment of their own. So far none does. */
export const PRODUCTS: ReadonlySet<string> = new Set()

export const ShownProduct = Type.Object({ product: Type.String(), enabled: Type.Boolean() })

export const KeyPrefix = Type.Object({ prefix: Type.String({ minLength: 1, maxLength: 64 }) })

const MaybeMicros = Type.Union([Type.String(), Type.Null()])

export const ApiKey = Type.Object({
  prefix: Type.String(),
  mode: Choice(['live', 'test']),
  createdAt: Type.String(),
  callCapMicros: MaybeMicros,
  dailyCapMicros: MaybeMicros,
  spentTodayMicros: Type.String(),
})

/** Ends the key with the prefix `former`, or the newest, and gives the new one: the only time it is seen. */
export async function newKey(
  { db, keys, config }: Floor,
  account: { accountId: string; mode: KeyMode },
  former: string | undefined,
): Promise<{ apiKey: string; key: ShownKey }> {
  const [newest] = await showKeys(db, account.accountId)
  const hash = (key: string) => hashApiKey(config.secret, key)
  const apiKey = await rotateKey(db, { ...account, former: former ?? newest?.prefix, hash })
  keys.forget()
  const shown = await showKeys(db, account.accountId)
  return { apiKey, key: shown.find(({ prefix }) => apiKey.startsWith(prefix))! }
}

/** An amount of dollars as people write it; nothing is no limit. */
export function capOf(dollars: string | null): bigint | null {
  if (dollars === null || dollars.trim() === '') return null
  const micros = usd(dollars.trim().replace(/^\$/, ''))
  if (micros < 1n || micros > 1_000_000n * MICROS_PER_USD) throw new RangeError('not an amount a key may be limited to')
  return micros
}
