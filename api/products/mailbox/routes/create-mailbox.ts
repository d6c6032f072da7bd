import { Type } from 'typebox'
import { newId } from '#kit'
import { buyMailbox } from '../../../../sql/mailbox/messages.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describeLeasePrice,
  PURCHASE_HEADERS,
  parseWireId,
  showLeasePrice,
  tellEnd,
} from '../../lease/index.ts'
import { planMailbox, prepareWebhook } from '../plan.ts'
import { MailboxCreated } from '../schema.ts'
import { DROP, deriveMailboxSecrets } from '../secrets.ts'

export default route({
  at: 'POST /api/mailbox',
  summary: 'Open a mailbox: anybody with its drop URL can leave messages, only you can read them.',
  keywords:
    'create mailbox, new inbox, inbox for messages, receive messages from other agents, receive files, callback address, dropbox, an address where others can drop a file for me',
  description:
    'Paid once, by `X-Capacity-Bytes` and `X-Duration-Seconds`; messages cost nothing more. When the time is over everything is deleted. It cannot be extended. With `X-Webhook-Url` each message is announced there by a POST whose `X-Mailbox-Signature` is the hexadecimal HMAC-SHA256 of its body, keyed with `X-Webhook-Secret` or, without one, with the `webhook_secret` of this answer.',
  auth: BILLABLE_AUTH,
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
  price: describeLeasePrice('mailbox'),
  errors: ['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'WEBHOOK_URL_REFUSED'],
  quote: ({ headers }, { settings }) => planMailbox(settings, headers).price,
  showPrice: (amountMicros, { headers }) =>
    showLeasePrice(amountMicros, {
      capacity_bytes: headers['X-Capacity-Bytes'],
      duration_seconds: headers['X-Duration-Seconds'],
    }),
  settles: true,
  async handle({ caller, headers, job }, context) {
    const { config, db, settings } = context
    const { price: _price, ...plan } = planMailbox(settings, headers)
    const id = newId()
    const { dropToken, webhookSecret } = deriveMailboxSecrets(config.secret, id)
    const webhook = await prepareWebhook(context, caller, headers, webhookSecret)
    return buyMailbox(db, job!, { ...plan, id, webhook, tokenHash: DROP.hash(config.secret, dropToken) })
  },
  describeResult: tellEnd,
  // The secrets follow from the id, so that a repeat is told those of the first call although they are not stored.
  reveal(result, { config }, { headers }) {
    const mailbox = result as { lease_id: string; has_webhook: boolean }
    const secrets = deriveMailboxSecrets(config.secret, parseWireId('lse_', mailbox.lease_id))
    const isOurs = mailbox.has_webhook && headers['X-Webhook-Secret'] === undefined
    return {
      ...mailbox,
      drop_url: `${config.publicUrl}/api/mailbox/${secrets.dropToken}/drop`,
      poll_url: `${config.publicUrl}/api/mailbox/${mailbox.lease_id}/messages`,
      webhook_secret: isOurs ? secrets.webhookSecret : null,
    }
  },
})
