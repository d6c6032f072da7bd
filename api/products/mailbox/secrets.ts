import { createHmac, randomBytes } from 'node:crypto'
import { deriveKey, hashToken } from '../../../ops/secrets.ts'
import { showWebhookSecret } from '../../../tasks/products/webhook/index.ts'

const DROP_PREFIX = 'drp_'

/**
 * The first drop token of a mailbox, and the secret that signs its webhook if its owner has none. Both follow from the id, so
 * that a repeat of the call gets the same answer although neither is stored.
 */
export function deriveMailboxSecrets(secret: string, leaseId: string): { dropToken: string; webhookSecret: string } {
  const derive = (purpose: string) => createHmac('sha256', deriveKey(secret, purpose)).update(leaseId).digest()
  return {
    dropToken: DROP_PREFIX + derive('first-drop-token').toString('base64url'),
    webhookSecret: showWebhookSecret(derive('mailbox-webhook')),
  }
}

export function newDropToken(): string {
  return DROP_PREFIX + randomBytes(32).toString('base64url')
}

export function hashDropToken(secret: string, token: string): Buffer {
  return hashToken(secret, 'drop-token', token)
}
