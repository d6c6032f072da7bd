import { Type } from 'typebox'
import { listMonitors } from '../../../../sql/screening/monitors.ts'
import { route } from '../../../route.ts'
import { MonitorReply, showMonitor } from '../watch.ts'

export default route({
  at: 'GET /v1/screening/monitors',
  summary: 'List the subjects that you watch, the newest first.',
  keywords: 'my monitors, watched customers',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  query: Type.Object(
    { limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: Type.Object({ data: Type.Array(MonitorReply) }) },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  handle: async ({ caller, query }, { db }) => ({
    data: (await listMonitors(db, caller.accountId, query.limit)).map(showMonitor),
  }),
})
