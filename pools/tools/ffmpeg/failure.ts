import { Problem } from '#kit'
import type { ProgramResult } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

// A wrong filter of ours is an error in the log and costs nothing; only what a file causes is a problem of the caller.

/** A decoder that crashes on a file would crash on it again: the file is the cause. */
const CRASHED = /\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|exit code 13[469]\b/
const ABSENT = /No such file or directory$|not found$/

export function toReadProblem(error: unknown): unknown {
  if (!(error instanceof ToolCrashed) || !CRASHED.test(error.message)) return error
  return new Problem('MEDIA_DECODE_FAILED', { detail: 'the decoder crashed on this file' })
}

/**
 * What ffmpeg reports of a command that is wrong whatever the input is: that is our own error, and must not be blamed on
 * a file. Everything else follows from the input.
 */
const WRONG_COMMAND = new RegExp(
  [
    ...['No such filter:', 'Error initializing filter', 'Error when evaluating', 'Undefined constant or missing'],
    ...['Unrecognized option', 'Error splitting the argument list', 'Unable to parse option value', 'Option not found'],
    ...['Error setting option', 'Error applying option', 'Unknown encoder', 'Unknown decoder', 'Unknown input format'],
    ...['Requested output format', 'Unable to find a suitable output format', 'Invalid stream specifier'],
    ...['matches no streams', 'does not exist in any defined filter graph', 'label found in the following'],
    ...['has an unconnected output', 'Cannot find a matching stream for unlabeled', 'Too many inputs specified'],
    ...['Too many outputs specified', 'No output pad can be associated', 'Unable to parse graph description'],
    ...['At least one output file must be specified', 'Media type mismatch between', 'Cannot create the link'],
  ].join('|'),
)

/** 127: the program could not be started, which no input can cause. */
export function toFailure({ code, stderr }: Pick<ProgramResult, 'code' | 'stderr'>, args: readonly string[]): Error {
  const lines = stderr.trim().split('\n')
  if (code === 127 && ABSENT.test(lines[0]!)) return new Error(stderr.trim())
  const wrong = lines.find(line => WRONG_COMMAND.test(line))
  if (wrong !== undefined)
    return new Error(`ffmpeg was given a wrong command: ${wrong} (${args.join(' ')})`.slice(0, 4000))
  return toDecodeProblem(stderr)
}

export function toDecodeProblem(stderr: string): Problem {
  return new Problem('MEDIA_DECODE_FAILED', { detail: describe(stderr.trim().split('\n')) })
}

/** What is printed before any error where the report of a filter is read. */
const REPORT = /^(?:ffmpeg stats|Input #|Output #|Stream mapping|Press \[q\]|\s)/

/** The first message is the cause. Addresses of objects and our own names of files tell a caller nothing. */
function describe(lines: readonly string[]): string {
  const cause = lines.find(line => line.trim() !== '' && !REPORT.test(line)) ?? ''
  const plain = cause.replace(/^\[[^\]]*\]\s*/, '').replace(/\.\/(input-\d+|[\w.-]+):?\s*/g, '')
  return plain.slice(0, 200)
}

/** Whether the decoder met damage although it went on. */
export function hasDamage(stderr: string): boolean {
  return DAMAGE.test(stderr)
}

const DAMAGE =
  /error while decoding|invalid data found|corrupt|concealing|truncat|partial file|invalid NAL|missing visual|header missing|error submitting packet/i
