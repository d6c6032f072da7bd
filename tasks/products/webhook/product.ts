import { Type } from 'typebox'
import { event, notification, numberSetting, product } from '#kit'

const webhook = product({
  title: 'Webhooks',
  summary: 'Signed messages about events.',
  exported: 'webhook.export_account',
  erase: 'webhook.erase_account',
  retention: [{ of: 'deliveries', after: 'webhook.delivery_days', removedBy: 'chore webhook.forget' }],
  family: 'webhooks',
  dashboard: { path: '/dashboard/webhooks', position: 70 },
  events: {
    'webhook.test': event({
      of: 'webhook',
      summary: 'A test that was asked for. No webhook registers for it.',
      payload: { webhookId: Type.String({ format: 'uuid' }) },
      example: { webhookId: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071' },
    }),
  },
  notifications: {
    'webhook.disabled': notification({
      summary: 'A webhook was disabled, because its receiver asked for it or every attempt of several days has failed.',
      data: {
        id: Type.String({ format: 'uuid' }),
        host: Type.String({ description: 'Of its address, which may hold a secret.' }),
        reason: Type.String(),
      },
      example: {
        id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071',
        host: 'hooks.example.com',
        reason: 'The receiver answered 410 Gone.',
      },
      subject: ({ host }) => `Your webhook at ${host} was disabled`,
      text: ({ id, host, reason }, { publicUrl }) =>
        `Your webhook at ${host} is no longer sent anything. ${reason}\n\nWhat happens within a week is kept. Enable the webhook again, and send it what it has missed:\n\n${publicUrl}/dashboard/webhooks/${id}\n`,
    }),
  },
  problems: {
    INVALID_EVENTS: [400, 'The list of events is empty, or one of its names is unknown.'],
    TOO_MANY_WEBHOOKS: [409, 'The account has as many webhooks as it can have; delete one first.'],
    WEBHOOK_DISABLED: [409, 'The webhook is disabled; set active to true first.'],
    WEBHOOK_URL_REFUSED: [422, 'Webhooks are sent only to https addresses of public web servers.'],
  },
  settings: {
    'webhook.concurrency': numberSetting(
      1_000,
      0,
      20_000,
      'Webhook deliveries that one worker sends at once; 0 sends none.',
    ),
    'webhook.endpoint_concurrency': numberSetting(16, 1, 64, 'Webhook deliveries that one endpoint is sent at once.'),
    'webhook.timeout_seconds': numberSetting(15, 1, 60, 'How long a webhook endpoint may take to answer, in seconds.'),
    'webhook.delivery_days': numberSetting(30, 1, 3_650, 'How long webhook deliveries are kept, in days.'),
    'webhook.max_per_account': numberSetting(50, 1, 10_000, 'Webhooks that one account may have.'),
  },
})

export default webhook

declare module '../../kit/product.ts' {
  interface Products {
    webhook: typeof webhook
  }
}
