import type { Lane } from '#kit'
import type { JobRoom } from '../job-room.ts'

/** What a tool's module gives: its lane, and its functions bound to one job. */
export interface ToolModule<Functions = unknown> {
  lane: Lane
  bind(job: JobRoom): Functions
}

/** The inventory. Importing it loads no engine; each is loaded when a job first uses it. */
export const TOOLS = {
  qpdf: { lane: 'program', load: () => import('./qpdf.ts') },
} as const satisfies Record<string, { lane: Lane; load: () => Promise<ToolModule> }>

export type Tools = {
  [Name in keyof typeof TOOLS]: ReturnType<Awaited<ReturnType<(typeof TOOLS)[Name]['load']>>['bind']>
}
