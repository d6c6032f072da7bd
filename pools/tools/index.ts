import type { Lane } from '#kit'
import type { JobRoom } from '../job-room.ts'

/** What a tool's module gives: its lane, and its functions bound to one job. All are async: some cross a process. */
export interface ToolModule<Functions = unknown> {
  lane: Lane
  bind(job: JobRoom): Functions
}

/** The inventory. Importing it loads no engine; each is loaded when a job first uses it. */
export const TOOLS = {
  anyAscii: { lane: 'thread', load: () => import('./any-ascii.ts') },
  jose: { lane: 'thread', load: () => import('./jose.ts') },
} as const satisfies Record<string, { lane: Lane; load: () => Promise<ToolModule> }>

export type Tools = {
  [Name in keyof typeof TOOLS]: ReturnType<Awaited<ReturnType<(typeof TOOLS)[Name]['load']>>['bind']>
}
