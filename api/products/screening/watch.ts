import { type Static, Type } from 'typebox'
import { Choice, newId } from '#kit'
import { type Monitor, startMonitor } from '../../../sql/screening/monitors.ts'
import { listFalsePositives } from '../../../sql/screening/screenings.ts'
import { summarise } from '../../../tasks/products/screening/monitoring.ts'
import { decideStatus, limitMatches, markFalsePositives, STATUSES } from '../../../tasks/products/screening/outcome.ts'
import { keySubject, readMatchOptions, readSubject } from '../../../tasks/products/screening/request.ts'
import type { ApiContext } from '../../context.ts'
import type { RouteJob } from '../../route.ts'
import { LISTS, MATCHING, SUBJECT } from './schema.ts'
import { readCoverage } from './screen.ts'

export const WatchBody = Type.Object(
  {
    ...SUBJECT,
    ...LISTS,
    ...MATCHING,
    limit: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 100,
      description: 'How many matches are shown; all are watched.',
    }),
    allowSample: Type.Boolean({
      default: false,
      description: 'For trial, watch the invented entries while no list is loaded.',
    }),
    months: Type.Integer({ default: 1, minimum: 1, maximum: 12, description: 'For which it is paid.' }),
  },
  { additionalProperties: false },
)
type WatchRequest = Static<typeof WatchBody>

const Time = Type.String({ format: 'date-time' })

export const MonitorReply = Type.Object({
  id: Type.String({ format: 'uuid' }),
  state: Choice(['active', 'ended']),
  referenceId: Type.Union([Type.String(), Type.Null()]),
  request: Type.Record(Type.String(), Type.Unknown(), { description: 'What is searched for each time.' }),
  status: Choice(STATUSES),
  matches: Type.Array(
    Type.Object({
      entityId: Type.String(),
      caption: Type.String(),
      score: Type.Number(),
      status: Choice(['review', 'match']),
      hash: Type.String(),
      falsePositive: Type.Boolean(),
    }),
  ),
  checkedAt: Time,
  changedAt: Type.Union([Time, Type.Null()]),
  createdAt: Time,
  endsAt: Time,
})

/** Refuses before it is paid for what could not be searched at all. */
export async function checkWatch(
  context: ApiContext,
  body: WatchRequest,
  accountId: string | undefined,
): Promise<void> {
  readSubject(body)
  await readCoverage(context, body, accountId)
}

/** All that is found is watched, of which so many are shown as its owner wants. */
export function showMonitor(monitor: Monitor): Monitor {
  return { ...monitor, matches: limitMatches(monitor.matches, monitor.request.limit) }
}

/** Searches once, and starts the monitor with what was found. */
export async function watch(context: ApiContext, body: WatchRequest, job: RouteJob): Promise<Monitor> {
  const { months, ...request } = body
  const subject = readSubject(request)
  const coverage = await readCoverage(context, request, job.accountId)
  const options = readMatchOptions(request, { ...request, explain: false }, coverage.searchedFamilies)
  const matches = await context.screener.search(subject, options, coverage.searched)
  const known = await listFalsePositives(context.db, job.accountId, [keySubject(subject, request.referenceId)])
  const marked = markFalsePositives(matches, known)
  const monitor = {
    ...{ id: newId(), referenceId: request.referenceId, request, months },
    ...{ matches: summarise(marked), status: decideStatus(marked, coverage) },
    checkedVersion: Math.max(0, ...coverage.searched.map(({ version }) => version!)),
  }
  return showMonitor(await startMonitor(context.db, job, monitor, context.settings.get('screening.max_monitors')))
}
