import type { Operation, Outcome, Room } from './operation.ts'

const NEVER = new AbortController().signal

/** The room of an operation that has no tools: no folder, no end, nothing to write to. */
const BARE_ROOM: Room = {
  out: name => {
    throw new Error(`an operation without tools has no folder for ${name}`)
  },
  progress: () => undefined,
  signal: NEVER,
  now: () => new Date(),
}

/** Runs an operation that has no tools in this very thread. */
export async function runHere(operation: Pick<Operation, 'run'>, input: unknown): Promise<Outcome<unknown>> {
  return operation.run(input, BARE_ROOM as never)
}
