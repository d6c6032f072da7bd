import type { MatrixAnswer, RouteAnswer, RouteQuestion } from '../../../tasks/engines/roads/answer.ts'

/** Plans routes: our own road graph, or a provider. Throws a Problem where there is none. */
export interface Router {
  id: string
  /** What must be shown with its answers. */
  attribution(): string
  /** The day of its data, if they are ours. */
  dataDate(): string | undefined
  /** What the operator has to do before it answers; undefined if it can. */
  missing(): string | undefined
  plan(question: RouteQuestion, signal: AbortSignal): Promise<RouteAnswer>
  matrix(question: RouteQuestion, signal: AbortSignal): Promise<MatrixAnswer>
  /** Looks whether other data have become current. */
  refresh(): Promise<void>
  close(): Promise<void>
}

interface AskedRoute {
  question: RouteQuestion
  /** What the caller pays. */
  paidMicros: bigint
  signal: AbortSignal
}

/** All routers that are configured, the first of which answers if it can. */
export interface Routers extends Pick<Router, 'missing' | 'refresh' | 'close'> {
  servedBy(): string | undefined
  plan(asked: AskedRoute): Promise<{ router: Router; answer: RouteAnswer }>
  matrix(asked: AskedRoute): Promise<{ router: Router; answer: MatrixAnswer }>
}
