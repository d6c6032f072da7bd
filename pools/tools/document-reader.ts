import { Problem } from '#kit'
import type { HostRoom } from '../job-room.ts'
import type { Finished, ProgramOptions } from '../programs.ts'
import { ToolCrashed } from '../tool-crashed.ts'

/** 134 is how a process ends that aborts itself, as one whose heap is full does. */
const DIED = /\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|exit code 134\b/

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
    throw unreadable(error, program)
  }
}

/**
 * What an error says of the document. One out of the reader itself, and not out of what we do with it, says that the
 * reader cannot make sense of it.
 */
export function unreadable(error: unknown, reader: string): unknown {
  if (error instanceof ToolCrashed && DIED.test(error.message))
    return new Problem('PDF_PARSE_FAILED', { detail: `${reader} died of it` })
  if (!isOfReader(error, reader)) return error
  return new Problem('PDF_PARSE_FAILED', { detail: error.message.slice(0, 200) })
}

function isOfReader(error: unknown, packageName: string): error is Error {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof ToolCrashed) return false
  const [place = ''] = /^\s+at .*$/m.exec(error.stack ?? '') ?? []
  return place.includes(`/node_modules/${packageName}/`)
}

/**
 * Whether poppler says that it cannot read the document: with 1, with 3 where its permissions forbid it, and with a
 * word about pages where it finds fewer of them than another reader did.
 */
export function isUnreadable({ code, stderr }: Pick<Finished, 'code' | 'stderr'>): boolean {
  return code === 1 || code === 3 || (code !== 0 && /Wrong page range/i.test(stderr))
}
