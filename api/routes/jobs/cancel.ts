import { isUuid, Problem } from '#kit'
import { cancelJob, readJob } from '../../../sql/job.ts'
import { route } from '../../route.ts'
import { JobId, JobTicket, showJob } from './shape.ts'

export default route({
  at: 'DELETE /v1/jobs/{id}',
  summary: 'Take a job back: it stops, and what was held for it is free again.',
  auth: ['key', 'wallet'],
  params: JobId,
  reply: { status: 200, schema: JobTicket },
  errors: ['NOT_FOUND', 'JOB_FINISHED', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id } }, floor) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    const verdict = await cancelJob(floor.db, caller.accountId, id)
    if (verdict === 'missing') throw new Problem('NOT_FOUND')
    if (verdict === 'ended') throw new Problem('JOB_FINISHED')
    return showJob(floor, (await readJob(floor.db, caller.accountId, id))!)
  },
})
