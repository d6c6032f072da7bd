import { Problem } from '#kit'
import { readWebhook } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { READER_AUTH, requireId, Webhook, WebhookId } from './schema.ts'

export default route({
  at: 'GET /v1/webhooks/{id}',
  summary: 'Get a webhook, without its secret.',
  keywords: 'settings of a webhook, show callback',
  auth: READER_AUTH,
  params: WebhookId,
  reply: { status: 200, schema: Webhook },
  errors: ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id } }, { db }) {
    requireId(id)
    const webhook = await readWebhook(db, caller.accountId, id)
    if (!webhook) throw new Problem('NOT_FOUND')
    return webhook
  },
})
