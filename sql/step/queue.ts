import { type Db, rows, value } from '../db.ts'
import { listLastingSteps } from '../product/lasting-steps.ts'

type StepState = 'dead' | 'failing' | 'running' | 'waiting'

/** A step in its queue; `name` begins with its product. */
export interface QueuedStep {
  id: string
  name: string
  key: string
  state: StepState
  attempts: number
  max_attempts: number
  run_at: Date
  last_error: string | null
  payload: unknown
}

/** The steps that are queued, dead ones first. */
export function listSteps(db: Db, limit: number): Promise<QueuedStep[]> {
  return rows<QueuedStep & Record<string, unknown>>(db, 'select * from step.list($1)', [limit])
}

export async function countSteps(db: Db): Promise<Record<StepState, number>> {
  const found = await rows<{ state: StepState; steps: bigint }>(db, 'select * from step.count()')
  return Object.fromEntries(found.map(({ state, steps }) => [state, Number(steps)])) as Record<StepState, number>
}

/** Tries a step that has failed again, or all dead ones; returns how many it was. */
export function retrySteps(db: Db, id: string | 'all'): Promise<number> {
  return value(db, 'select step.retry($1)', [id === 'all' ? null : id])
}

/** Deletes dead steps past their retention; returns how many. */
export function forgetDeadSteps(db: Db, days: number, limit: number): Promise<number> {
  return value(db, 'select step.forget_dead($1, $2, $3)', [days, listLastingSteps(), limit])
}

/** Unlocks the steps of runners that fetch no more; `running` are the queue's ids of those that they run yet. */
export async function unlockIdle(db: Db, poolIds: string[], running: string[]): Promise<void> {
  await value(db, 'select step.unlock_idle($1, $2)', [poolIds, running])
}
