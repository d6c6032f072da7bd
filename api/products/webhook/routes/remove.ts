import { deleteWebhook } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { MANAGER_AUTH, requireId, WebhookId } from './schema.ts'

export default route({
  at: 'DELETE /v1/webhooks/{id}',
  summary: 'Delete a webhook. Its deliveries can still be listed.',
  keywords: 'delete webhook, unsubscribe, stop events, stop notifications',
  auth: MANAGER_AUTH,
  params: WebhookId,
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id }, reply }, { db }) {
    requireId(id)
    await deleteWebhook(db, caller.accountId, id)
    reply.code(204).send()
    return undefined
  },
})
