import { Problem } from '#kit'

export interface ArchiveEntry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  sizeBytes: number
  compressedBytes: number
  isEncrypted: boolean
  modifiedAt?: string
}

export interface OpenArchive {
  format: 'zip' | 'tar' | 'gzip'
  entries: ArchiveEntry[]
  /** Streams the content of an entry. */
  read(index: number, password: string | undefined): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export const MAX_ENTRIES = 10_000
export const MAX_BYTES = 500 * 2 ** 20
/** A higher compression ratio indicates a zip bomb, but only for large contents: small files often compress better. */
export const MAX_RATIO = 200
export const MIN_BYTES_FOR_RATIO = 50 * 2 ** 20

export function parseProblem(detail: string): Problem {
  return new Problem('ARCHIVE_PARSE_FAILED', { detail })
}

export function unsafeProblem(
  reason: 'size' | 'ratio' | 'entries' | 'overlap' | 'path' | 'link' | 'name',
  hints: object = {},
): Problem {
  return new Problem('ARCHIVE_UNSAFE', { reason, ...hints })
}

/** Passes chunks through until they exceed the limit. */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  createProblem: () => Problem,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of source) {
    count += chunk.length
    if (count > maxBytes) throw createProblem()
    yield chunk
  }
}

/** Rejects what would unpack to too much, before anything is unpacked. */
export function checkSizes(entries: readonly ArchiveEntry[], compressedBytes: number): void {
  const totalBytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (totalBytes > MAX_BYTES) throw unsafeProblem('size', { limitBytes: MAX_BYTES, actual: totalBytes })
  if (totalBytes > MIN_BYTES_FOR_RATIO && totalBytes > compressedBytes * MAX_RATIO)
    throw unsafeProblem('ratio', { limit: MAX_RATIO, actual: Math.round(totalBytes / compressedBytes) })
}

export function sumCompressed(entries: readonly ArchiveEntry[]): number {
  return entries.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0)
}
