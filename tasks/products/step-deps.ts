import type { ObjectStore } from '../../ops/providers/storage/contract.ts'
import type { Settings } from '../../sql/setting.ts'

/** The functions of a module of SQL callers, without their first argument, the database. */
type Bound<Callers> = {
  [Name in keyof Callers]: Callers[Name] extends (db: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never
}

/** What a step is given by the worker that runs it; `Callers` is the module sql/<product>/steps.ts. */
export interface StepDeps<Callers = Record<never, never>> {
  sql: Bound<Callers>
  settings: Pick<Settings, 'get'>
  store: ObjectStore
  /** Is aborted at the time limit of the step. */
  signal: AbortSignal
  now(): Date
  log(facts: Record<string, unknown>, text: string): void
}
