import { Problem } from '#kit'
import type { ProgramResult } from '../../programs/run.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

/** A decoder that crashes on a file would crash on it again: the file is the cause. */
const CRASHED = /\bSIG(?:SEGV|ABRT|BUS|ILL|FPE)\b|exit code 13[469]\b/
const ABSENT = /No such file or directory$|not found$/

export function toReadProblem(error: unknown): unknown {
  if (!(error instanceof ToolCrashed) || !CRASHED.test(error.message)) return error
  return new Problem('MEDIA_DECODE_FAILED', { detail: 'the decoder crashed on this file' })
}

/** 127: the program could not be started, which no input can cause. */
export function toFailure({ code, stderr }: Pick<ProgramResult, 'code' | 'stderr'>): Error {
  const lines = stderr.trim().split('\n')
  if (code === 127 && ABSENT.test(lines[0]!)) return new Error(stderr.trim())
  return new Problem('MEDIA_DECODE_FAILED', { detail: describe(lines) })
}

/** The first message is the cause. Addresses of objects and our own names of files tell a caller nothing. */
function describe(lines: readonly string[]): string {
  const cause = lines.find(line => line.trim() !== '') ?? ''
  const plain = cause.replace(/^\[[^\]]*\]\s*/, '').replace(/\.\/(input-\d+|[\w.-]+):?\s*/g, '')
  return plain.slice(0, 200)
}

/** Whether the decoder met damage although it went on. */
export function hasDamage(stderr: string): boolean {
  return DAMAGE.test(stderr)
}

const DAMAGE =
  /error while decoding|invalid data found|corrupt|concealing|truncat|partial file|invalid NAL|missing visual|header missing|error submitting packet/i
