import type { Static, TSchema } from 'typebox'

/**
 * Background work of a product, queued by `step.queue` inside the transaction that makes it necessary. A worker that dies
 * leaves its step to another one, so a run must change nothing that an earlier run has done already.
 */
export interface Step<Payload extends TSchema = TSchema, Deps = unknown> {
  summary: string
  payload: Payload
  /** A run that takes longer is given up and tried again later; 60 if it is not declared. */
  limitSeconds?: number
  run(payload: Static<Payload>, deps: Deps): Promise<void>
}

export function step<Payload extends TSchema, Deps>(declaration: Step<Payload, Deps>): Step<Payload, Deps> {
  return declaration
}
