import type { Config } from '../../config.ts'
import { defineTokens } from '../../tokens.ts'

export const LINK_MINUTES = 15
const TOKENS = defineTokens('', 'sign-in link')
/** Links by which an operator sees the pages of an account. */
export const VIEW_TOKENS = defineTokens('vew_', 'operator view')

/** Creates an address that signs in once, and the hash that is stored instead of its token. */
export function createSignInLink(config: Pick<Config, 'secret' | 'publicUrl'>): { url: string; hash: Buffer } {
  const token = TOKENS.mint()
  return { url: `${config.publicUrl}/sign-in/link/${token}`, hash: hashSignInToken(config, token) }
}

export function hashSignInToken({ secret }: Pick<Config, 'secret'>, token: string): Buffer {
  return TOKENS.hash(secret, token)
}
