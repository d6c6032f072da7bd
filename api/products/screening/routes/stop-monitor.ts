import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { stopMonitor } from '../../../../sql/screening/monitors.ts'
import { route } from '../../../route.ts'
import { MonitorReply, showMonitor } from '../watch.ts'

export default route({
  at: 'DELETE /v1/screening/monitors/{monitor}',
  summary: 'Stop watching a subject.',
  keywords: 'end a monitor, cancel monitoring',
  description: 'The rest of its time is not paid back.',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:write',
  params: Type.Object({ monitor: Type.String() }),
  reply: { status: 200, schema: MonitorReply },
  errors: ['NOT_FOUND', 'ILLEGAL_TRANSITION', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { monitor } }, { db }) {
    if (!isUuid(monitor)) throw new Problem('NOT_FOUND')
    return showMonitor(await stopMonitor(db, caller.accountId, monitor))
  },
})
