import { findUnrecorded } from '../sql/object.ts'
import type { WorkerContext } from './context.ts'
import { parseNote } from './outputs/notes.ts'

const SWEEP_MS = 30_000
/** A job has recorded its outputs by then, or its attempt has failed. */
const MAX_NOTE_AGE_MS = 30 * 60_000

/** Removes what workers that died on this machine have left: the folders of their jobs and outputs of no job. */
export function startSweeping(context: WorkerContext): { stop(): void } {
  const sweep = () =>
    removeLeftovers(context).catch(error => context.log.warn({ err: error }, 'leftovers not removed yet'))
  void sweep()
  const timer = setInterval(() => void sweep(), SWEEP_MS).unref()
  return { stop: () => clearInterval(timer) }
}

async function removeLeftovers(context: WorkerContext): Promise<void> {
  const { pools, outputNotes } = context
  await pools.removeDeadFolders(names => removeUnrecorded(context, names.map(parseNote)))
  const old = await outputNotes.listOlder(MAX_NOTE_AGE_MS)
  await removeUnrecorded(context, old)
  outputNotes.remove(old)
}

async function removeUnrecorded({ db, store, log }: WorkerContext, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const unrecorded = await findUnrecorded(db, keys)
  for (const key of unrecorded) await store.remove(key)
  if (unrecorded.length > 0) log.warn({ outputs: unrecorded.length }, 'outputs of no job removed')
}
