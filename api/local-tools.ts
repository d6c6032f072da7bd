import type { CallLimits } from '../ops/providers/call-limits.ts'

/** The tools that calls are given in this process, by their names. */
export type LocalTools = Readonly<Record<string, (limits: CallLimits) => unknown>>
