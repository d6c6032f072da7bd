import { defineTokens } from '../../../ops/tokens.ts'

/** Links with which operators add what they sign in with. The command line makes the first. */
const TOKENS = defineTokens('opl_', 'operator link')

export const LINK_MINUTES = 60

export function createEnrolmentLink(secret: string, consoleUrl: string): { url: string; hash: Buffer } {
  const token = TOKENS.mint()
  return { url: `${consoleUrl}/enrol/${token}`, hash: TOKENS.hash(secret, token) }
}

export function hashEnrolmentToken(secret: string, token: string): Buffer {
  return TOKENS.hash(secret, token)
}
