import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { listDeliveries } from '../../../../sql/webhook/endpoints.ts'
import { route } from '../../../route.ts'
import { DELIVERY_STATUSES, Delivery, READER_AUTH, requireId, WebhookId } from './schema.ts'

export default route({
  at: 'GET /v1/webhooks/{id}/deliveries',
  summary: 'List what a webhook was sent, newest first, with how it ended. Deliveries are kept for 30 days.',
  keywords: 'webhook history, did a webhook arrive, which events were sent, failed deliveries, log of callbacks',
  auth: READER_AUTH,
  params: WebhookId,
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
      status: Type.Optional(Choice(DELIVERY_STATUSES)),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(Delivery),
      pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id }, query: { status, limit, offset } }, { db }) {
    requireId(id)
    const found = await listDeliveries(db, { accountId: caller.accountId, id, status, limit: limit + 1, offset })
    if (!found) throw new Problem('NOT_FOUND')
    return { data: found.slice(0, limit), pagination: { limit, offset, hasMore: found.length > limit } }
  },
})
