import { numberSetting, product } from '#kit'

const webhook = product({
  title: 'Webhooks',
  summary: 'Signed messages when something happens.',
  exported: 'webhook.export_account',
  erase: 'webhook.erase_account',
  retention: [{ of: 'deliveries', after: 'webhook.delivery_days', removedBy: 'chore forget-deliveries' }],
  family: 'webhooks',
  dashboard: { path: '/dashboard/webhooks', position: 70 },
  problems: {
    INVALID_EVENTS: [400, 'An event name is unknown.'],
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
