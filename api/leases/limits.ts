import type { ApiContext } from '../context.ts'
import { rateProblem } from '../intake/identity/rate-limit.ts'

/** Counts a call against the limit of one lease. */
export function requireRate({ limits }: ApiContext, bucket: string, perMinute: number): void {
  const allowance = limits.take(bucket, perMinute)
  if (allowance.isOver) throw rateProblem(allowance)
}
