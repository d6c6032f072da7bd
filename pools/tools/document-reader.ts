import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import type { Finished, ProgramOptions } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'

const DIED = /\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b/

/** Runs a program that reads a document. One that dies of it would die of it again: the document is to blame. */
export async function readWith(
  room: HostRoom,
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<Finished> {
  try {
    return await room.programs.run(room, program, args, options)
  } catch (error) {
    if (!(error instanceof ToolCrashed && DIED.test(error.message))) throw error
    throw new Problem('PDF_PARSE_FAILED', { detail: `${program} died of it` })
  }
}

/** An error out of the reader itself, and not out of what we do with it, says that it cannot make sense of the document. */
export function isOfReader(error: unknown, packageName: string): error is Error {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof ToolCrashed) return false
  const [place = ''] = /^\s+at .*$/m.exec(error.stack ?? '') ?? []
  return place.includes(`/node_modules/${packageName}/`)
}
