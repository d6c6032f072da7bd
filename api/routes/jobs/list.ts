import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { listJobs } from '../../../sql/job.ts'
import { CALL_FILTER, requireDays } from '../../intake/validation/call-filter.ts'
import { route } from '../../route.ts'
import { JOB_STATUSES, ListedJob } from './schema.ts'

export default route({
  at: 'GET /v1/jobs',
  summary: 'List the jobs of the calling account, newest first, with their errors but without their results.',
  description: 'A call that was refused before it became a job, as for a wrong field or file, is not among them.',
  keywords: 'history, my jobs, recent calls, tickets, failed calls, which calls failed and why, errors of today',
  auth: ['key', 'wallet'],
  connectorScope: 'mcp:read',
  query: Type.Object(
    {
      status: Type.Optional(Choice(JOB_STATUSES)),
      ...CALL_FILTER,
      key: Type.Optional(
        Type.String({ pattern: '^[\\w-]{1,64}$', description: 'The prefix of an API key, or the id of a connector.' }),
      ),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      data: Type.Array(ListedJob),
      pagination: Type.Object({ limit: Type.Integer(), offset: Type.Integer(), hasMore: Type.Boolean() }),
    }),
  },
  errors: ['INVALID_PARAM', 'UNKNOWN_FIELD', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, query: { limit, offset, ...filter } }, { readDb }) {
    requireDays(filter)
    const jobs = await listJobs(readDb, { account: caller.accountId, ...filter, limit: limit + 1, offset })
    const data = jobs.slice(0, limit).map(({ problem, ...job }) => ({
      ...job,
      ...(problem && { error: Problem.from(problem).toBody() }),
    }))
    return { data, pagination: { limit, offset, hasMore: jobs.length > limit } }
  },
})
