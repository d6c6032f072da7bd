import { createHmac, randomBytes } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function newWebhookSecret(): string {
  return showWebhookSecret(randomBytes(SECRET_BYTES))
}

/** The form of a secret that Standard Webhooks knows. */
export function showWebhookSecret(key: Buffer): string {
  return SECRET_PREFIX + key.toString('base64')
}

interface MessageToSign {
  id: string
  atSeconds: number
  body: string
}

/**
 * The content of `X-Service-Signature`. Its key is the secret as it is shown.
 */
export function signWithTimestamp({ atSeconds, body }: MessageToSign, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${atSeconds}.${body}`).digest('hex')}`
}

/** The content of `webhook-signature` by Standard Webhooks, with a signature for each secret that is valid. */
export function signByStandard({ id, atSeconds, body }: MessageToSign, secrets: readonly string[]): string {
  return secrets
    .map(secret => {
      const key = standardKeyOf(secret)
      return `v1,${createHmac('sha256', key).update(`${id}.${atSeconds}.${body}`).digest('base64')}`
    })
    .join(' ')
}

/** The content of `X-Mailbox-Signature`, to which the specification gives no prefix. */
export function signMailboxMessage(body: string, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

/** A secret that a caller chose need not have the form of ours; then its text is the key. */
function standardKeyOf(secret: string): Buffer {
  return secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')
}
