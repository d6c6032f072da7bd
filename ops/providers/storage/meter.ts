import { createHash } from 'node:crypto'
import { Problem } from '#kit'
import type { PutOptions, StoredObject } from './contract.ts'

/** Counts and optionally hashes the bytes written to a store; throws at the limit. */
export function createMeter({
  maxBytes = Number.POSITIVE_INFINITY,
  isHashed = false,
}: Pick<PutOptions, 'maxBytes' | 'isHashed'>) {
  const hash = isHashed ? createHash('sha256') : undefined
  let sizeBytes = 0
  return {
    add(chunk: Uint8Array): void {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: maxBytes })
      hash?.update(chunk)
    },
    summarise(): StoredObject {
      return hash ? { sizeBytes, sha256: hash.digest('hex') } : { sizeBytes }
    },
  }
}
