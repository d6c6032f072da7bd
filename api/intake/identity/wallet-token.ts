import { randomUUID } from 'node:crypto'
import { isUuid } from '#kit'
import type { Config } from '../../../ops/config.ts'
import { deriveKey } from '../../../ops/secrets.ts'
import type { Db } from '../../../sql/db.ts'
import type { Settings } from '../../../sql/setting.ts'
import { readTokenFacts, useToken } from '../../../sql/wallet.ts'
import type { Bearer } from './caller.ts'

export const TOKEN_DAYS = 30

/** Tokens that a wallet receives after signing in. */
export interface WalletTokens {
  issue(holder: { accountId: string; address: string }): Promise<string>
  /** The account a token belongs to; undefined when the token is not valid. */
  resolve(token: string): Promise<Bearer | undefined>
}

/**
 * Signed by HS256 with a key per generation, named in the header. Raising the setting `auth.token_generation` signs
 * new tokens with a new key and still accepts the previous one. The account's version in the token allows revoking all.
 */
export function openWalletTokens({
  db,
  config,
  settings,
}: {
  db: Db
  config: Pick<Config, 'secret' | 'publicUrl'>
  settings: Settings
}): WalletTokens {
  const keyOf = (generation: number) => deriveKey(config.secret, `wallet token ${generation}`)
  const party = { issuer: config.publicUrl, audience: `${config.publicUrl}/v1` }

  return {
    issue: async ({ accountId, address }) => {
      const { SignJWT } = await import('jose')
      const facts = await readTokenFacts(db, accountId)
      const generation = settings.get('auth.token_generation')
      return new SignJWT({ wallet: address, ver: facts!.tokenVersion })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: `w${generation}` })
        .setIssuer(party.issuer)
        .setAudience(party.audience)
        .setSubject(accountId)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${TOKEN_DAYS}d`)
        .sign(keyOf(generation))
    },
    resolve: async token => {
      const claims = await claimsOf(token, party, settings.get('auth.token_generation'), keyOf)
      if (!claims) return undefined
      const facts = await useToken(db, claims.accountId, claims.wallet)
      if (facts?.tokenVersion !== claims.version) return undefined
      const { isSuspended, isTest } = facts
      const mode = isTest ? 'test' : 'live'
      const { accountId, wallet, endsAtMs } = claims
      return { isSuspended, endsAtMs, caller: { accountId, credential: wallet, mode, via: 'wallet' } }
    },
  }
}

interface Claims {
  accountId: string
  wallet: string
  version: number
  endsAtMs: number
}

async function claimsOf(
  token: string,
  party: { issuer: string; audience: string },
  newest: number,
  keyOf: (generation: number) => Buffer,
): Promise<Claims | undefined> {
  const { jwtVerify } = await import('jose')
  const keyNamed = ({ kid }: { kid?: string }): Buffer => {
    const generation = Number(/^w(\d{1,7})$/.exec(kid ?? '')?.[1])
    if (generation !== newest && generation !== newest - 1) throw new RangeError('a key of no use any more')
    return keyOf(generation)
  }
  try {
    const { payload } = await jwtVerify(token, keyNamed, {
      ...party,
      algorithms: ['HS256'],
      requiredClaims: ['exp', 'sub', 'jti', 'wallet', 'ver'],
    })
    const { sub = '', wallet, ver, exp } = payload
    if (!isUuid(sub) || typeof wallet !== 'string' || typeof ver !== 'number') return undefined
    return { accountId: sub, wallet, version: ver, endsAtMs: exp! * 1_000 }
  } catch {
    return undefined
  }
}
