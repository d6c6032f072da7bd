import { defineTokens } from '../../tokens.ts'

/** The links of recipients. Each follows from the id of the recipient and a nonce; with another nonce the old link is worthless. */
const SIGNING = defineTokens('sgn_', 'envelope-recipient')

export const hasLinkForm = (text: string): boolean => SIGNING.hasForm(text)

export function deriveLink(secret: string, recipientId: string, nonce: string): string {
  return SIGNING.derive(secret, `${recipientId} ${nonce}`)
}

export function hashLink(secret: string, token: string): Buffer {
  return SIGNING.hash(secret, token)
}
