import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readMonitor } from '../../../../sql/screening/monitors.ts'
import { route } from '../../../route.ts'
import { MonitorReply, showMonitor } from '../watch.ts'

export default route({
  at: 'GET /v1/screening/monitors/{monitor}',
  summary: 'Read a monitor with what its subject matches now.',
  keywords: 'state of a monitor, current matches of a watched customer',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  params: Type.Object({ monitor: Type.String() }),
  reply: { status: 200, schema: MonitorReply },
  errors: ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { monitor } }, { db }) {
    if (!isUuid(monitor)) throw new Problem('NOT_FOUND')
    return showMonitor(await readMonitor(db, caller.accountId, monitor))
  },
})
