import type { Operation, Outcome, RunContext } from './operation.ts'

const NEVER = new AbortController().signal

/** The context of an operation without tools: it has no folder, is never aborted and reports no progress. */
const BARE_CONTEXT: RunContext = {
  out: name => {
    throw new Error(`an operation without tools has no folder for ${name}`)
  },
  progress: () => undefined,
  signal: NEVER,
  now: () => new Date(),
}

/** Whether a call is so cheap that it may run in the process that has it, instead of a thread. */
export function isInstantCall({ instant }: Operation, input: unknown, inputBytes: number): boolean {
  if (!instant || inputBytes > instant.maxBytes) return false
  return instant.when?.(input) ?? true
}

/** Runs an operation that uses no tools, in the current thread. */
export async function runWithoutTools(operation: Pick<Operation, 'run'>, input: unknown): Promise<Outcome<unknown>> {
  return operation.run(input, BARE_CONTEXT as never)
}
