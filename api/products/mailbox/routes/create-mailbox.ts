import { Type } from 'typebox'
import { newId } from '#kit'
import { createMailbox } from '../../../../sql/mailbox/messages.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describePurchase,
  LEASE_TERMS,
  OWNER_AUTH,
  OWNER_ERRORS,
  PURCHASE_ERRORS,
  PURCHASE_HEADERS,
  parseWireId,
  readPurchase,
  replyPrice,
} from '../../lease/index.ts'
import { planMailbox, prepareWebhook } from '../plan.ts'
import { MailboxCreated } from '../schema.ts'
import { deriveMailboxSecrets, hashDropToken } from '../secrets.ts'

export default route({
  at: 'POST /api/mailbox',
  summary: 'Open a mailbox: anybody with its drop URL can leave messages, only you can read them.',
  keywords: 'create mailbox, new inbox, receive messages from other agents, receive files, callback address, dropbox',
  description:
    'Paid once, by `X-Capacity-Bytes` and `X-Duration-Seconds`; messages cost nothing more. When the time is over everything is deleted. It cannot be extended. With `X-Webhook-Url` each message is announced there by a POST whose `X-Mailbox-Signature` is the hexadecimal HMAC-SHA256 of its body, keyed with `X-Webhook-Secret` or, without one, with the `webhook_secret` of this answer.',
  auth: OWNER_AUTH,
  headers: Type.Object({
    'X-Capacity-Bytes': Type.Integer({ minimum: 1_024, default: 1_048_576 }),
    'X-Max-Message-Bytes': Type.Integer({ minimum: 1, default: 262_144 }),
    'X-Max-Messages': Type.Integer({ minimum: 1, default: 1_000 }),
    'X-Drop-Rate': Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 60,
      description: 'Messages a minute from one address.',
    }),
    'X-Allowed-Content-Types': Type.Optional(
      Type.String({ maxLength: 2_000, description: 'For example `application/json, image/*`; without it all.' }),
    ),
    'X-Label': Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    'X-Webhook-Url': Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    'X-Webhook-Secret': Type.Optional(Type.String({ minLength: 16, maxLength: 256 })),
    ...PURCHASE_HEADERS,
  }),
  reply: { status: 201, schema: MailboxCreated, dryRun: DryRun },
  terms: LEASE_TERMS,
  errors: ['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'WEBHOOK_URL_REFUSED', ...PURCHASE_ERRORS, ...OWNER_ERRORS],
  async handle({ caller, headers, request, reply }, context) {
    const { config, db, settings } = context
    const { price, ...plan } = planMailbox(settings, headers)
    if (headers['X-Dry-Run']) {
      const { capacityBytes, seconds } = plan
      return replyPrice(reply, price, { capacity_bytes: capacityBytes, duration_seconds: seconds })
    }
    const id = newId()
    const { dropToken, webhookSecret } = deriveMailboxSecrets(config.secret, id)
    const webhook = await prepareWebhook(context, caller, headers, webhookSecret)
    const { 'X-Webhook-Url': url, 'X-Webhook-Secret': ownSecret } = headers
    const call = describePurchase({ caller, request }, 'leases.create-mailbox', price, [
      JSON.stringify([plan, url, ownSecret]),
    ])
    const mailbox = { ...plan, id, webhook, tokenHash: hashDropToken(config.secret, dropToken) }
    const created = readPurchase(reply, call, await createMailbox(db, call, mailbox))
    reply.header('x-lease-expires-at', created.expires_at)
    // A repeat is answered about the first mailbox, whose secrets follow from its id.
    const secrets = deriveMailboxSecrets(config.secret, parseWireId('lse_', created.lease_id))
    return {
      ...created,
      drop_url: `${config.publicUrl}/api/mailbox/${secrets.dropToken}/drop`,
      poll_url: `${config.publicUrl}/api/mailbox/${created.lease_id}/messages`,
      webhook_secret: created.has_webhook && ownSecret === undefined ? secrets.webhookSecret : null,
    }
  },
})
