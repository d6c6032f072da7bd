import { Type } from 'typebox'
import { listWebhooks } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { READER_AUTH, Webhook } from './schema.ts'

export default route({
  at: 'GET /v1/webhooks',
  summary: 'List the webhooks of the account, without their secrets.',
  keywords: 'my webhooks, registered callbacks',
  auth: READER_AUTH,
  reply: { status: 200, schema: Type.Object({ data: Type.Array(Webhook) }) },
  errors: ['MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller }, { db }) => ({ data: await listWebhooks(db, caller.accountId) }),
})
