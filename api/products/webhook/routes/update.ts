import { Type } from 'typebox'
import { updateWebhook } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { requireAllowedUrl, requireKnownEvents } from '../registration.ts'
import { EventNames, MANAGER_AUTH, requireId, Webhook, WebhookDescription, WebhookId, WebhookUrl } from './schema.ts'

export default route({
  at: 'PUT /v1/webhooks/{id}',
  summary: 'Change a webhook: its URL, its events, its description, or whether it is active.',
  keywords: 'change webhook address, pause events, deactivate, mute notifications',
  description:
    'Fields that are left out stay as they are. Setting `active` to true enables a webhook that was disabled and forgets its failures. Setting it to false fails what waits to be sent; POST /v1/webhooks/{id}/redeliver sends it later.',
  auth: MANAGER_AUTH,
  params: WebhookId,
  body: Type.Object(
    {
      url: Type.Optional(WebhookUrl),
      events: Type.Optional(EventNames),
      description: Type.Optional(WebhookDescription),
      active: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  reply: { status: 200, schema: Webhook },
  errors: [
    'NOT_FOUND',
    'INVALID_EVENTS',
    'WEBHOOK_URL_REFUSED',
    'MISSING_AUTH',
    'UNAUTHENTICATED',
    'ACCOUNT_SUSPENDED',
  ],
  examples: [{ title: 'Enable it again', input: { active: true } }],
  async handle({ caller, params: { id }, body }, context) {
    requireId(id)
    const { url, events, ...rest } = body
    const change = {
      ...rest,
      ...(events && { events: requireKnownEvents(events) }),
      ...(url !== undefined && { url: await requireAllowedUrl(context, caller, url) }),
    }
    return updateWebhook(context.db, caller.accountId, id, change)
  },
})
