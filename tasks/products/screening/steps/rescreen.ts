import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/screening/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import { searchInBackground } from '../background.ts'
import { findChange, summarise } from '../monitoring.ts'
import { decideStatus } from '../outcome.ts'

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

/** Searches all lists of the monitor, because what a version has changed may be of any of them. */
async function check(monitor: TakenMonitor, versionId: number, deps: Deps): Promise<void> {
  const { request, accountId, id } = monitor
  const searched = await searchInBackground({ ...request, explain: false }, accountId, deps)
  // That no list is loaded any more is no change of the subject.
  if (!searched) return
  const { matches, coverage } = searched
  const found = { matches: summarise(matches), status: decideStatus(matches, coverage) }
  const change = findChange({ ...monitor, name: request.name }, found.matches, found.status)
  await deps.sql.noteCheck(id, versionId, found, change)
}
