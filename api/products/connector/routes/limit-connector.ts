import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { limitConnector } from '../../../../sql/connector/approvals.ts'
import { route } from '../../../route.ts'
import { ConnectorId, NullableDollars, parseCaps } from '../../../routes/account/schema.ts'

export default route({
  at: 'PUT /v1/account/connectors/{id}',
  summary: 'Set what a connected MCP client may spend in a day (UTC); null is no limit.',
  keywords: 'spending limit of an app, daily budget of a client',
  auth: ['session'],
  params: ConnectorId,
  body: Type.Object({ dailyCapUsd: NullableDollars }, { additionalProperties: false }),
  reply: { status: 204 },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'CSRF_REJECTED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  examples: [{ title: 'At most two dollars a day', input: { dailyCapUsd: '2' } }],
  async handle({ caller: { accountId }, params: { id }, body, reply }, { db }) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    await limitConnector(db, { accountId, id }, parseCaps(body).dailyCapMicros ?? null)
    reply.code(204).send()
    return undefined
  },
})
