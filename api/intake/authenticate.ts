import { isApiKey, type KeyMode, Problem } from '#kit'
import type { Db } from '../../sql/db.ts'
import { findKey, type KeyOwner } from '../../sql/key.ts'

/** Who calls, once proven. */
export interface Caller {
  accountId: string
  /** What the rate limit counts by, and what logs may show. */
  credential: string
  mode: KeyMode
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

interface Memory {
  owner: KeyOwner | undefined
  until: number
}

/** Looks keys up once and remembers them shortly, the unknown ones too: a wrong key in a loop must cost little. */
export function openKeys(db: Db, hash: (key: string) => Buffer): Keys {
  const memory = new Map<string, Memory>()

  async function ownerOf(key: string): Promise<KeyOwner | undefined> {
    const now = performance.now()
    const known = memory.get(key)
    if (known && known.until > now) return known.owner
    const owner = await findKey(db, hash(key))
    if (memory.size >= REMEMBERED_MOST) memory.clear()
    memory.set(key, { owner, until: now + (owner ? REMEMBERED_MS : REMEMBERED_UNKNOWN_MS) })
    return owner
  }

  return {
    forget: () => memory.clear(),
    resolve: async authorization => {
      if (authorization === undefined) return undefined
      const key = bearerOf(authorization)
      const owner = key !== undefined && isApiKey(key) ? await ownerOf(key) : undefined
      if (!owner) throw new Problem('UNAUTHENTICATED')
      if (owner.isSuspended) throw new Problem('ACCOUNT_SUSPENDED')
      return { accountId: owner.accountId, credential: owner.prefix, mode: owner.mode }
    },
  }
}

function bearerOf(authorization: string): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1]
}
