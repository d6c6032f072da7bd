import { closeSync, openSync, readSync } from 'node:fs'

/**
 * The first bytes of a file, or all of a shorter one. Read synchronously, because it was written a moment ago or is read
 * whole in the next: switching to the thread pool costs ten times the work.
 */
export function readFileStart(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.allocUnsafe(bytes)
    return start.subarray(0, readSync(file, start, 0, bytes, 0))
  } finally {
    closeSync(file)
  }
}
