import { Type } from 'typebox'
import { Choice, cleanName, isUuid, MICROS_PER_USD, Problem, usd } from '#kit'
import { hashApiKey } from '../../../ops/secrets.ts'
import { createKey, type KeyWithLimits, rotateKey, showKeys } from '../../../sql/key.ts'
import type { AuditSubject } from '../../../sql/product/audit.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'

/** Products that an account must enrol in before it can use them. There are none yet. */
export const PRODUCTS: ReadonlySet<string> = new Set()

export const ProductState = Type.Object({ product: Type.String(), enabled: Type.Boolean() })

export const KeyPrefix = Type.Object({ prefix: Type.String({ pattern: '^\\w{1,64}$' }) })

export const ConnectorId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

export const NullableMicros = Type.Union([Type.String(), Type.Null()])

export const ApiKey = Type.Object({
  prefix: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  mode: Choice(['live', 'test']),
  createdAt: Type.String(),
  lastUsedAt: Type.Union([Type.String(), Type.Null()], { description: 'To the minute.' }),
  endsAt: Type.Union([Type.String(), Type.Null()], {
    description: 'Until when a key still works that was replaced; null for a current key.',
  }),
  callCapMicros: NullableMicros,
  dailyCapMicros: NullableMicros,
  spentTodayMicros: Type.String(),
})

export const SIGN_IN_KINDS = Choice(['wallet', 'email', 'github', 'google'])

const MAX_NAME_LENGTH = 60
export const KeyName = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'What the key is for.' })
export const NullableDollars = Type.Union([Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,6})?$' }), Type.Null()])

/** For how long a replaced key may work on: at most a week. */
export const MAX_GRACE_HOURS = 168

type KeyAccount = Pick<Caller, 'accountId' | 'mode'>

interface IssuedKey {
  /** The key itself, which is never shown again. */
  apiKey: string
  key: KeyWithLimits
}

export async function addKey(
  context: ApiContext,
  { accountId, mode }: KeyAccount,
  settings: Pick<Parameters<typeof createKey>[1], 'name' | 'callCapMicros' | 'dailyCapMicros'>,
): Promise<IssuedKey> {
  const hash = (key: string) => hashApiKey(context.config.secret, key)
  return findIssued(context, accountId, await createKey(context.db, { accountId, mode, hash, ...settings }))
}

/** Replaces the key with the prefix `former`, or else the newest. The former key works on for `graceHours`. */
export async function replaceKey(
  context: ApiContext,
  { accountId, mode }: KeyAccount,
  { former, graceHours }: { former: string | undefined; graceHours: number },
): Promise<IssuedKey> {
  const { db, keys, config } = context
  const newest = former ?? (await showKeys(db, accountId)).find(({ endsAt }) => endsAt === null)?.prefix
  const hash = (key: string) => hashApiKey(config.secret, key)
  const apiKey = await rotateKey(db, { accountId, mode, former: newest, graceHours, hash })
  keys.forget()
  return findIssued(context, accountId, apiKey)
}

async function findIssued({ db }: ApiContext, accountId: string, apiKey: string): Promise<IssuedKey> {
  const shown = await showKeys(db, accountId)
  return { apiKey, key: shown.find(({ prefix }) => apiKey.startsWith(prefix))! }
}

/** A name without invisible characters; undefined if nothing is left of it. */
export function parseKeyName(name: string | null | undefined): string | undefined {
  return cleanName(name ?? '', MAX_NAME_LENGTH) || undefined
}

/** Reads the limits of a body; a field that it lacks stays undefined. Names the field that is wrong. */
export function parseCaps(body: { callCapUsd?: string | null; dailyCapUsd?: string | null }) {
  return { callCapMicros: parse('callCapUsd'), dailyCapMicros: parse('dailyCapUsd') }

  function parse(field: 'callCapUsd' | 'dailyCapUsd'): bigint | null | undefined {
    const dollars = body[field]
    try {
      return dollars === undefined ? undefined : parseCap(dollars)
    } catch {
      throw new Problem('INVALID_PARAM', { field, reason: 'must be an amount above 0 and at most 1000000' })
    }
  }
}

/** Reads an amount of dollars; an empty amount means no limit. */
export function parseCap(dollars: string | null): bigint | null {
  if (dollars === null || dollars.trim() === '') return null
  const micros = usd(dollars.trim().replace(/^\$/, ''))
  if (micros < 1n || micros > 1_000_000n * MICROS_PER_USD)
    throw new RangeError('the limit of a key must be above 0 and at most 1000000 dollars')
  return micros
}

export const SubjectPath = Type.Object({
  kind: Type.String({ pattern: '^[\\w.-]{1,60}$', description: 'What it is, such as `handoff`.' }),
  id: Type.String({ maxLength: 200, description: 'Its id, as other calls name it.' }),
})

/** Ids are shown as they are or, by some products, as a prefix and their hexadecimal digits. */
const WIRE_ID = /^[a-z]{2,8}_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

export function readSubject(accountId: string, { kind, id: text }: { kind: string; id: string }): AuditSubject {
  const id = WIRE_ID.exec(text)?.slice(1).join('-') ?? text
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return { accountId, kind, id }
}
