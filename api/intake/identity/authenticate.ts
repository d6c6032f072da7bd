import { isApiKey, Problem } from '#kit'
import type { Db } from '../../../sql/db.ts'
import { useKey } from '../../../sql/key.ts'
import type { Bearer, Caller } from './caller.ts'
import type { WalletTokens } from './wallet-token.ts'

export interface Keys {
  /** The caller of an `Authorization` header: undefined without one, a problem for an invalid one. */
  resolve(authorization: string | undefined): Promise<Caller | undefined>
  /** Clears the cache, because a key or an account has changed. */
  forget(): void
}

/** A kind of token that a product issues. */
export interface BearerKind {
  looksLike(word: string): boolean
  /** Whom the token with this hash belongs to. */
  find(hash: Buffer): Promise<Bearer | undefined>
}

const REMEMBERED_MS = 30_000
const REMEMBERED_UNKNOWN_MS = 2_000
const MAX_REMEMBERED = 20_000

interface CacheEntry {
  bearer: Bearer | undefined
  until: number
}

/** Caches look-ups for a short time, unknown keys included: a client that repeats a wrong key must cost little. */
export function openKeys(
  db: Db,
  hash: (key: string) => Buffer,
  tokens?: WalletTokens,
  bearers: readonly BearerKind[] = [],
): Keys {
  const cache = new Map<string, CacheEntry>()
  /** Counts cache clearings, so that a look-up that began before one is not cached after it. */
  let forgotten = 0

  async function findBearer(word: string): Promise<Bearer | undefined> {
    const now = performance.now()
    const known = cache.get(word)
    if (known && known.until > now) return known.bearer
    const asOf = forgotten
    const bearer = await lookUp(word)
    if (asOf !== forgotten) return bearer
    if (cache.size >= MAX_REMEMBERED) cache.clear()
    const lastsMs = bearer ? Math.min(REMEMBERED_MS, (bearer.endsAtMs ?? Infinity) - Date.now()) : REMEMBERED_UNKNOWN_MS
    cache.set(word, { bearer, until: now + lastsMs })
    return bearer
  }

  async function lookUp(word: string): Promise<Bearer | undefined> {
    if (isApiKey(word)) return findKeyBearer(db, hash(word))
    const kind = bearers.find(({ looksLike }) => looksLike(word))
    return kind ? kind.find(hash(word)) : tokens?.resolve(word)
  }

  return {
    forget: () => {
      forgotten++
      cache.clear()
    },
    resolve: async authorization => {
      if (authorization === undefined) return undefined
      const word = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
      const isKnownForm = word !== undefined && (looksLikeOwn(word) || bearers.some(({ looksLike }) => looksLike(word)))
      const bearer = isKnownForm ? await findBearer(word) : undefined
      if (!bearer) throw new Problem('UNAUTHENTICATED')
      if (bearer.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
      return bearer.caller
    },
  }
}

const TOKEN = /^eyJ[\w-]{1,500}\.[\w-]{1,1500}\.[\w-]{1,200}$/

function looksLikeOwn(word: string): boolean {
  return isApiKey(word) || TOKEN.test(word)
}

async function findKeyBearer(db: Db, hash: Buffer): Promise<Bearer | undefined> {
  const owner = await useKey(db, hash)
  if (!owner) return undefined
  const { accountId, prefix: credential, mode, isSuspended, endsAt } = owner
  return {
    isSuspended,
    endsAtMs: endsAt?.getTime(),
    caller: { accountId, credential, mode, via: 'key', keyHash: hash },
  }
}
