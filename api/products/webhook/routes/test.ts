import { sendTestEvent } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { Delivery, MANAGER_AUTH, requireId, WebhookId } from './schema.ts'

export default route({
  at: 'POST /v1/webhooks/{id}/test',
  summary: 'Send a webhook the event `webhook.test`, signed and tried again like any other.',
  keywords: 'test event, try a webhook, ping my endpoint',
  auth: MANAGER_AUTH,
  params: WebhookId,
  reply: { status: 202, schema: Delivery },
  errors: ['NOT_FOUND', 'WEBHOOK_DISABLED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id } }, { db }) {
    requireId(id)
    return sendTestEvent(db, caller.accountId, id)
  },
})
