import { Type } from 'typebox'
import { Choice, Problem, type ProblemData, withProperties } from '#kit'
import { withEnvelopes } from '../../../ops/providers/storage/envelope.ts'
import type { JobRecord, Ticket } from '../../../sql/job.ts'
import type { ApiContext } from '../../context.ts'
import { keyNamer } from '../../intake/files/price-token.ts'
import type { Caller } from '../../intake/identity/caller.ts'

export const JOB_STATUSES = ['submitted', 'running', 'succeeded', 'failed', 'expired'] as const

export const JobId = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The ticket, or what the header `X-Service-Job-Id` of an answer says.',
  }),
})

export const JobTicket = Type.Object({
  id: Type.String(),
  ticket: Type.String(),
  serviceKey: Type.String(),
  status: Choice(JOB_STATUSES),
  createdAt: Type.String(),
  startedAt: Type.Optional(Type.String()),
  finishedAt: Type.Optional(Type.String()),
  progress: Type.Optional(Type.Object({ done: Type.Number(), total: Type.Number(), unit: Type.String() })),
  ceilingMicros: Type.String(),
  actualMicros: Type.Optional(Type.String()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ error: Type.String(), code: Type.String() })),
})

export const ListedJob = withProperties(JobTicket, {
  durationMs: Type.Optional(
    Type.Integer({ description: 'How long it ran, without its wait; 0 for what the api answered by itself.' }),
  ),
  keyPrefix: Type.Optional(Type.String({ description: 'The key that made the call.' })),
})

/** A job as its owner sees it: files as envelopes, and a problem in the form that the call itself would return. */
export async function serializeJob(
  { catalog, config, store }: ApiContext,
  { ticket, result, problem }: JobRecord,
  caller?: Pick<Caller, 'via'>,
): Promise<object> {
  if (problem) return { ...ticket, error: Problem.from(problem satisfies ProblemData).toBody() }
  if (result === null || result === undefined) return ticket
  const operation = catalog.operation(ticket.serviceKey)
  const nameKey = keyNamer(config.secret, caller)
  const answer = operation ? await withEnvelopes(operation.output, result, { store, nameKey }) : result
  return { ...ticket, result: answer }
}

export function isUnfinished({ status }: Pick<Ticket, 'status'>): boolean {
  return status === 'submitted' || status === 'running'
}
