import { Type } from 'typebox'
import { event, numberSetting, product } from '#kit'

const mailbox = product({
  title: 'Mailbox',
  summary: 'Messages that anybody with a link can leave, for the account that rents the mailbox.',
  family: 'leases',
  events: {
    'mailbox.message': event({
      of: 'object',
      summary:
        'A message has arrived in a mailbox. It is sent to the `X-Webhook-Url` of the mailbox, with `X-Mailbox-Signature`: the hexadecimal HMAC-SHA256 of the body, keyed with the secret of the mailbox.',
      payload: {
        event: Type.Literal('mailbox.message'),
        lease_id: Type.String(),
        message_id: Type.String(),
        received_at: Type.String({ format: 'date-time' }),
        size_bytes: Type.Integer(),
        content_type: Type.String(),
        filename: Type.Union([Type.String(), Type.Null()]),
        sha256: Type.String(),
        used_bytes: Type.Integer({ description: 'What the messages in the mailbox take together.' }),
        capacity_bytes: Type.Integer(),
      },
      example: {
        event: 'mailbox.message',
        lease_id: 'lse_019ab3c45d6e7f809a1b2c3d4e5f6071',
        message_id: 'msg_00000001e29b41d4a716446655440000',
        received_at: '2026-11-22T09:00:00.000Z',
        size_bytes: 5,
        content_type: 'text/plain',
        filename: null,
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        used_bytes: 5,
        capacity_bytes: 1_048_576,
      },
    }),
  },
  exported: 'mailbox.export_account',
  problems: {
    MAILBOX_FULL: [413, 'The mailbox has no room for this message; its owner can delete messages.'],
    MESSAGE_COUNT_EXCEEDED: [413, 'The mailbox has as many messages as it can hold; its owner can delete some.'],
  },
  prices: { 'leases.create-mailbox': { rate: 'lease.mailbox_rate', least: 'lease.minimum_micros' } },
  settings: {
    'lease.mailbox_rate': numberSetting(150, 0, 1_000_000, 'Micros of a MiB of a mailbox for a day.'),
    'lease.mailbox_bytes': numberSetting(104_857_600, 1_048_576, 1_073_741_824, 'The largest capacity of a mailbox.'),
    'lease.message_bytes': numberSetting(10_485_760, 262_144, 10_485_760, 'The largest message of a mailbox.'),
    'lease.messages': numberSetting(10_000, 1_000, 1_000_000, 'The most messages that a mailbox can hold.'),
    'rate.drops_per_minute': numberSetting(600, 1, 1_000_000, 'Messages per minute to one mailbox from all addresses.'),
  },
})

export default mailbox

declare module '../../kit/product.ts' {
  interface Products {
    mailbox: typeof mailbox
  }
}
