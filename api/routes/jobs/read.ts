import { Type } from 'typebox'
import { isUuid, Problem } from '#kit'
import { readJob } from '../../../sql/job.ts'
import { MAX_WAIT_SECONDS } from '../../intake/call-handler.ts'
import { route } from '../../route.ts'
import { isUnfinished, JobId, JobTicket, serializeJob } from './schema.ts'

export default route({
  at: 'GET /v1/jobs/{id}',
  summary: 'Get the state of a job. With `wait`, the response is sent when the job ends or the time is up.',
  keywords:
    'job status, ticket, progress, finished, done, result, poll, wait, in the background, asynchronous, without waiting, long running, slow call',
  tool: 'job_get',
  isFeatured: true,
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  params: JobId,
  query: Type.Object(
    { wait: Type.Number({ minimum: 0, maximum: MAX_WAIT_SECONDS, default: 0, description: 'Seconds to wait.' }) },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: JobTicket },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params: { id }, query: { wait }, reply }, context) {
    if (!isUuid(id)) throw new Problem('NOT_FOUND')
    const waiter = context.waiters.wait(id, wait * 1_000)
    try {
      let job = await readJob(context.db, caller.accountId, id)
      if (job && isUnfinished(job.ticket) && wait > 0) {
        await waiter.end
        job = await readJob(context.db, caller.accountId, id)
      }
      if (!job) throw new Problem('NOT_FOUND')
      if (isUnfinished(job.ticket)) reply.header('retry-after', '1')
      return await serializeJob(context, job, caller)
    } finally {
      waiter.giveUp()
    }
  },
})
