import { Type } from 'typebox'
import { Problem, step } from '#kit'
import type * as callers from '../../../../sql/screening/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import { type Coverage, findCoverage } from '../coverage.ts'
import { scoreCandidates } from '../matching/score.ts'
import { searchSubject } from '../matching/search.ts'
import { findChange, summarise } from '../monitoring.ts'
import { decideStatus, markFalsePositives } from '../outcome.ts'
import { keySubject, readMatchOptions, readSubject } from '../request.ts'

type Deps = StepDeps<typeof callers>
type TakenMonitor = Awaited<ReturnType<Deps['sql']['takeMonitors']>>[number]

/** More are left to the next step, so that none takes long. */
const MONITORS = 200

export default step({
  summary: 'Screen the monitored subjects against a new version of a list, and tell their owners what has changed.',
  payload: Type.Object({ versionId: Type.Integer(), after: Type.Optional(Type.Union([Type.String(), Type.Null()])) }),
  limitSeconds: 600,
  async run({ versionId, after }, deps: Deps) {
    const monitors = await deps.sql.takeMonitors(versionId, after ?? null, MONITORS)
    for (const monitor of monitors) {
      deps.signal.throwIfAborted()
      await check(monitor, versionId, deps)
    }
    const last = monitors.at(-1)
    if (last && monitors.length === MONITORS) await deps.sql.queueRescreen(versionId, last.id)
  },
})

/** Searches as a call would, in all lists of the monitor, because what a version has changed may be of any of them. */
async function check(monitor: TakenMonitor, versionId: number, deps: Deps): Promise<void> {
  const { sql } = deps
  const { request, accountId, id } = monitor
  const coverage = await readCoverage(monitor, deps)
  if (!coverage) return
  const subject = readSubject(request)
  const options = readMatchOptions(request, { ...request, explain: false }, coverage.searchedFamilies)
  const lists = coverage.searched.map(({ listId }) => listId)
  const versions = coverage.searched.map(({ version }) => version!)
  const entries = coverage.searched.reduce((sum, list) => sum + (list.entries ?? 0), 0)
  const matches = await searchSubject(subject, options, entries, {
    findWords: sql.findWords,
    countEntries: sql.countEntries,
    findCandidates: search => sql.findCandidates({ ...search, lists, versions }),
    readEntities: sql.readEntities,
    score: async work => scoreCandidates(work.subject, work.candidates, work.corpus, work.names, work.options),
  })
  const known = await sql.listFalsePositives(accountId, [keySubject(subject, request.referenceId)])
  const marked = markFalsePositives(matches, known)
  const found = { matches: summarise(marked), status: decideStatus(marked, coverage) }
  const change = findChange({ ...monitor, name: request.name }, found.matches, found.status)
  await sql.noteCheck(id, versionId, found, change)
}

/** Undefined if none of its lists is loaded any more: that is no change of the subject. */
async function readCoverage(
  { request, accountId }: TakenMonitor,
  { sql, settings, now }: Deps,
): Promise<Coverage | undefined> {
  const rules = {
    chosen: settings.get('screening.lists'),
    refreshHours: settings.get('screening.refresh_hours'),
    expireDays: settings.get('screening.expire_days'),
    now: now(),
    isPast: false,
  }
  try {
    return findCoverage(request, await sql.listVersions(accountId), rules)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
