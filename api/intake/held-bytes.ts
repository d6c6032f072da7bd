import type { StagedFile } from '#kit'

const held = new WeakMap<StagedFile, Buffer>()

/** Bytes of a staged file that are at hand in this process; they never travel along. */
export function heldBytes(file: StagedFile): Buffer | undefined {
  return held.get(file)
}

export function holdBytes(file: StagedFile, bytes: Buffer): void {
  held.set(file, bytes)
}
