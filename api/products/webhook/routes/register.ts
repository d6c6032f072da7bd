import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { createWebhook } from '../registration.ts'
import { EventNames, MANAGER_AUTH, WebhookDescription, WebhookUrl, WebhookWithSecret } from './schema.ts'

export default route({
  at: 'POST /v1/webhooks',
  summary: 'Register a URL that is sent events. The answer has the secret that signs them, which is never shown again.',
  keywords:
    'webhook, tell my server when a task is over, create webhook, callback when a job is done, notify me when finished, subscribe to events, push notification, long job, call me back when it is done, callback url, be told by a webhook',
  description:
    'Each event is a POST with a JSON body. Verify it before you use it: `webhook-signature` by Standard Webhooks (any of its libraries), or `X-Service-Signature`, which is `sha256=` and the hexadecimal HMAC-SHA256 of `<X-Service-Timestamp>.<body>` with the secret as key. Refuse timestamps that are more than five minutes off. Answer 2xx within 15 seconds; redirects are not followed. Anything else is tried again after about 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h; `Retry-After` may double a delay. An event can arrive twice, with the same `webhook-id`, and out of order; `sequence` has the order. A webhook that answers 410, or fails for days, is disabled.',
  auth: MANAGER_AUTH,
  body: Type.Object(
    { url: WebhookUrl, events: EventNames, description: Type.Optional(WebhookDescription) },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: WebhookWithSecret },
  errors: [
    'INVALID_EVENTS',
    'WEBHOOK_URL_REFUSED',
    'TOO_MANY_WEBHOOKS',
    'MISSING_AUTH',
    'UNAUTHENTICATED',
    'ACCOUNT_SUSPENDED',
  ],
  examples: [
    {
      title: 'Be told when a job ends',
      input: { url: 'https://example.com/hooks/coinop', events: ['job.completed'], description: 'Job results' },
    },
  ],
  handle: ({ caller, body: { url, events, description = null } }, context) =>
    createWebhook(context, caller, { url, events, description }),
})
