import { isUuid, Problem } from '#kit'
import { cancelJob, readJob } from '../../../sql/job.ts'
import { route } from '../../route.ts'
import { JobId, JobTicket, serializeJob } from './schema.ts'

export default route({
  at: 'DELETE /v1/jobs/{id}',
  summary: 'Cancel a job: it stops, and the amount held for it is released.',
  keywords: 'abort, stop, kill, give up',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:write',
  params: JobId,
  reply: { status: 200, schema: JobTicket },
  errors: ['NOT_FOUND', 'JOB_FINISHED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id } }, context) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    const outcome = await cancelJob(context.db, caller.accountId, id)
    if (outcome === 'missing') throw new Problem('NOT_FOUND')
    if (outcome === 'ended') throw new Problem('JOB_FINISHED')
    return serializeJob(context, (await readJob(context.db, caller.accountId, id))!, caller)
  },
})
