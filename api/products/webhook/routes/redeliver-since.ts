import { Type } from 'typebox'
import { Problem } from '#kit'
import { redeliverSince } from '../../../../sql/webhook/endpoints.ts'
import { hasRealDay } from '../../../intake/moment.ts'
import { route } from '../../../route.ts'
import { MANAGER_AUTH, requireId, WebhookId } from './schema.ts'

/** One statement locks this many deliveries. */
const MAX_DELIVERIES = 10_000

export default route({
  at: 'POST /v1/webhooks/{id}/redeliver',
  summary: 'Send every failed delivery since a time again, the oldest first, for example after an outage.',
  keywords:
    'resend failed events, replay after an outage, retry all deliveries, my server was down, server missed events, missed events',
  auth: MANAGER_AUTH,
  params: WebhookId,
  body: Type.Object(
    { since: Type.String({ format: 'date-time', description: 'When the earliest event happened.' }) },
    { additionalProperties: false },
  ),
  reply: {
    status: 202,
    schema: Type.Object({
      redelivered: Type.Integer(),
      hasMore: Type.Boolean({ description: `At most ${MAX_DELIVERIES} are sent again; call again for the others.` }),
    }),
  },
  errors: ['NOT_FOUND', 'WEBHOOK_DISABLED', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'After an outage', input: { since: '2026-11-21T08:00:00Z' } }],
  async handle({ caller, params: { id }, body }, { db }) {
    requireId(id)
    const since = new Date(body.since)
    if (Number.isNaN(since.getTime()) || !hasRealDay(body.since))
      throw new Problem('INVALID_PARAM', { field: 'since', expected: 'date-time' })
    const redelivered = await redeliverSince(db, caller.accountId, id, { since, limit: MAX_DELIVERIES })
    return { redelivered, hasMore: redelivered === MAX_DELIVERIES }
  },
})
