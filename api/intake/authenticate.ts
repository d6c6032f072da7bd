import { type AuthMode, isApiKey, type KeyMode, Problem } from '#kit'
import type { Db } from '../../sql/db.ts'
import { findKey } from '../../sql/key.ts'
import type { WalletTokens } from './wallet-token.ts'

/** Who calls, once proven. */
export interface Caller {
  accountId: string
  /** What the rate limit counts by, and what logs may show. */
  credential: string
  mode: KeyMode
  via: AuthMode
  /** Of a key that may spend only so much: goes with its calls into the books. */
  keyHash?: Buffer
}

export interface Keys {
  /** The caller of an `Authorization` header; nothing without one, a problem with one that does not hold. */
  resolve(authorization: string | undefined): Promise<Caller | undefined>
  /** Drops what is remembered, because a key or an account has changed. */
  forget(): void
}

const REMEMBERED_MS = 30_000
const REMEMBERED_UNKNOWN_MS = 2_000
const REMEMBERED_MOST = 20_000

/** What a bearer word turned out to stand for. */
export interface Bearer {
  caller: Caller
  isSuspended: boolean
  /** When it ends by itself. */
  endsAtMs?: number
}

interface Memory {
  bearer: Bearer | undefined
  until: number
}

/** Looks words up once and remembers them shortly, the unknown ones too: a wrong key in a loop must cost little. */
export function openKeys(db: Db, hash: (key: string) => Buffer, tokens?: WalletTokens): Keys {
  const memory = new Map<string, Memory>()
  /** Counts how often all was forgotten, so that a look-up from before is not remembered after. */
  let forgotten = 0

  async function bearerBehind(word: string): Promise<Bearer | undefined> {
    const now = performance.now()
    const known = memory.get(word)
    if (known && known.until > now) return known.bearer
    const asOf = forgotten
    const bearer = isApiKey(word) ? await keyBehind(db, hash(word)) : await tokens?.resolve(word)
    if (asOf !== forgotten) return bearer
    if (memory.size >= REMEMBERED_MOST) memory.clear()
    const lastsMs = bearer ? Math.min(REMEMBERED_MS, (bearer.endsAtMs ?? Infinity) - Date.now()) : REMEMBERED_UNKNOWN_MS
    memory.set(word, { bearer, until: now + lastsMs })
    return bearer
  }

  return {
    forget: () => {
      forgotten++
      memory.clear()
    },
    resolve: async authorization => {
      if (authorization === undefined) return undefined
      const word = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
      const bearer = word !== undefined && isKnownShape(word) ? await bearerBehind(word) : undefined
      if (!bearer) throw new Problem('UNAUTHENTICATED')
      if (bearer.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
      return bearer.caller
    },
  }
}

const TOKEN = /^eyJ[\w-]{1,500}\.[\w-]{1,1500}\.[\w-]{1,200}$/

function isKnownShape(word: string): boolean {
  return isApiKey(word) || TOKEN.test(word)
}

async function keyBehind(db: Db, hash: Buffer): Promise<Bearer | undefined> {
  const owner = await findKey(db, hash)
  if (!owner) return undefined
  const { accountId, prefix: credential, mode, isSuspended, isCapped } = owner
  return {
    isSuspended,
    caller: { accountId, credential, mode, via: 'key', ...(isCapped && { keyHash: hash }) },
  }
}
