import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readJob } from '../../../sql/job.ts'
import { LONGEST_WAIT_SECONDS } from '../../intake/prefer.ts'
import { route } from '../../route.ts'
import { isOpen, JobId, JobTicket, showJob } from './shape.ts'

export default route({
  at: 'GET /v1/jobs/{id}',
  summary: 'How a job stands; with `wait` the answer comes when it ends, or when the time is up.',
  auth: ['key', 'wallet'],
  params: JobId,
  query: Type.Object(
    { wait: Type.Number({ minimum: 0, maximum: LONGEST_WAIT_SECONDS, default: 0, description: 'Seconds to wait.' }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: JobTicket },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id }, query: { wait }, reply }, floor) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    const waiter = floor.waiters.wait(id, wait * 1_000)
    try {
      let job = await readJob(floor.db, caller.accountId, id)
      if (job && isOpen(job.ticket) && wait > 0) {
        await waiter.end
        job = await readJob(floor.db, caller.accountId, id)
      }
      if (!job) throw new Problem('NOT_FOUND')
      if (isOpen(job.ticket)) reply.header('retry-after', '1')
      return await showJob(floor, job)
    } finally {
      waiter.giveUp()
    }
  },
})
