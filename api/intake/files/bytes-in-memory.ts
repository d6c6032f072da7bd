import type { StagedFile } from '#kit'

const held = new WeakMap<StagedFile, Buffer>()

/** Bytes of staged files in this process; they are not part of the job's payload. */
export function keptBytes(file: StagedFile): Buffer | undefined {
  return held.get(file)
}

export function keepBytes(file: StagedFile, bytes: Buffer): void {
  held.set(file, bytes)
}
