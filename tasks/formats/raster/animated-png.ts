import { readPngChunks } from './png-chunks.ts'

/** Whether the beginning of a file is that of an animated PNG, which says so before its first pixels. */
export function isAnimatedPng(start: Buffer): boolean {
  if (start.toString('latin1', 1, 4) !== 'PNG') return false
  for (const { kind } of readPngChunks(start)) if (kind === 'acTL' || kind === 'IDAT') return kind === 'acTL'
  return false
}

/** Counts the frames themselves, because who writes to a pipe does not know their number at the start. */
export function countPngFrames(file: Buffer): number {
  if (!isAnimatedPng(file)) return 1
  return Math.max(
    1,
    readPngChunks(file).reduce((frames, { kind }) => frames + Number(kind === 'fcTL'), 0),
  )
}
