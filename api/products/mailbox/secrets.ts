import { createHmac } from 'node:crypto'
import { deriveKey } from '../../../ops/secrets.ts'
import { defineTokens } from '../../../ops/tokens.ts'
import { showWebhookSecret } from '../../../tasks/products/webhook/index.ts'

export const DROP = defineTokens('drp_', 'drop-token', 'first-drop-token')

/**
 * The first drop token of a mailbox, and the secret that signs its webhook if its owner has none. Both follow from the id, so
 * that a repeat of the call gets the same answer although neither is stored.
 */
export function deriveMailboxSecrets(secret: string, leaseId: string): { dropToken: string; webhookSecret: string } {
  const webhookKey = createHmac('sha256', deriveKey(secret, 'mailbox-webhook')).update(leaseId).digest()
  return { dropToken: DROP.derive(secret, leaseId), webhookSecret: showWebhookSecret(webhookKey) }
}
