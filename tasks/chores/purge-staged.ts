import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

/** A call has queued its job by then, or given up. */
const MAX_CALL_MS = 10 * 60_000
/** No upload pauses for this long. */
const MAX_DRAFT_AGE_MS = 5 * 60_000
/** No job lives longer than this. Files whose keys name no call were staged by the deploy before this one. */
const MAX_JOB_MS = 26 * 3_600_000
const BATCH = 500

export default chore<ChoreDeps>({
  summary: 'Remove staged inputs and half-written files that no job cleaned up, because a process was killed.',
  every: '*/2 * * * *',
  async run({ store, jobs, now, log }) {
    let removed = (await store.removeDrafts?.(MAX_DRAFT_AGE_MS)) ?? 0
    let batch: { key: string; job: string }[] = []
    const removeBatch = async () => {
      const open = new Set(await jobs.findOpen(batch.map(({ job }) => job)))
      const over = batch.filter(({ job }) => !open.has(job))
      for (const { key } of over) await store.remove(key)
      removed += over.length
      batch = []
    }
    for await (const { key, modifiedAt } of store.list('stage/')) {
      const [, job, file] = key.split('/') as [string, string, string?]
      const ageMs = now().getTime() - modifiedAt.getTime()
      if (ageMs < (file === undefined ? MAX_JOB_MS : MAX_CALL_MS)) continue
      if (batch.push({ key, job }) === BATCH) await removeBatch()
    }
    if (batch.length > 0) await removeBatch()
    if (removed > 0) log({ removed }, 'left-over inputs removed')
  },
})
