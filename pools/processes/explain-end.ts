import { Problem } from '#kit'
import { describeEnd } from '../tool-crashed.ts'
import type { WorkerKind } from './worker-kind.ts'

/** SIGABRT and SIGTRAP, by which Node and C++ end when memory runs out. */
const ABORTED = /^(SIGABRT|SIGTRAP|exit code 13[34])\b/

/** The error for the call of a process that ended as `detail` says. */
export function explainEnd(
  { name, abortsOutOfMemory, memoryMb }: Pick<WorkerKind<unknown>, 'name' | 'abortsOutOfMemory' | 'memoryMb'>,
  detail: string,
): Error {
  if (abortsOutOfMemory && ABORTED.test(detail)) return new Problem('MEMORY_LIMIT_EXCEEDED', { limitMb: memoryMb })
  return describeEnd(name, detail)
}
