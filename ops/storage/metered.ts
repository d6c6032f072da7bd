import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import type { PutOptions, Stored } from './index.ts'

/** Counts and hashes bytes on their way into a store, and stops them at the limit. */
export function metered({
  maxBytes = Number.POSITIVE_INFINITY,
  isHashed = false,
}: Pick<PutOptions, 'maxBytes' | 'isHashed'>) {
  const hash = isHashed ? createHash('sha256') : undefined
  let sizeBytes = 0
  return {
    take(chunk: Uint8Array): void {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
      hash?.update(chunk)
    },
    stored(): Stored {
      return hash ? { sizeBytes, sha256: hash.digest('hex') } : { sizeBytes }
    },
  }
}
