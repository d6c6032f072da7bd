import { Problem } from '#kit'
import type { HostContext } from '../../host-context.ts'
import type { ProgramOptions, ProgramResult } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

/** A process that aborts, for example because its heap is full, exits with 134. */
const CRASHED = /\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|exit code 134\b/

/** Runs a program that reads a document. If it crashes, a retry would crash too: the document is the cause. */
export async function runReader(
  context: HostContext,
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  try {
    return await context.programs.run(context, program, args, options)
  } catch (error) {
    throw toParseProblem(error, program)
  }
}

/** A crash of the reader, or an error thrown by the reader itself, means that it cannot parse the document. */
export function toParseProblem(error: unknown, reader: string): unknown {
  if (error instanceof ToolCrashed && CRASHED.test(error.message))
    return new Problem('PDF_PARSE_FAILED', { detail: `${reader} crashed on this document` })
  if (!isThrownByPackage(error, reader)) return error
  return new Problem('PDF_PARSE_FAILED', { detail: error.message.slice(0, 200) })
}

function isThrownByPackage(error: unknown, packageName: string): error is Error {
  if (!(error instanceof Error) || error instanceof Problem || error instanceof ToolCrashed) return false
  const [firstFrame = ''] = /^\s+at .*$/m.exec(error.stack ?? '') ?? []
  return firstFrame.includes(`/node_modules/${packageName}/`)
}

/**
 * Poppler exits with 1 if it cannot read the document and with 3 if the permissions forbid it. It reports a wrong page
 * range if it finds fewer pages than another reader did.
 */
export function isUnreadable({ code, stderr }: Pick<ProgramResult, 'code' | 'stderr'>): boolean {
  return code === 1 || code === 3 || (code !== 0 && /Wrong page range/i.test(stderr))
}
