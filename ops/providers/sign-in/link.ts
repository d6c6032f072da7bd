import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import { hashToken } from '../../secrets.ts'

export const LINK_MINUTES = 15

/** Creates an address that signs in once, and the hash that is stored instead of its token. */
export function createSignInLink(config: Pick<Config, 'secret' | 'publicUrl'>): { url: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { url: `${config.publicUrl}/sign-in/link/${token}`, hash: hashSignInToken(config, token) }
}

export function hashSignInToken({ secret }: Pick<Config, 'secret'>, token: string): Buffer {
  return hashToken(secret, 'sign-in link', token)
}
