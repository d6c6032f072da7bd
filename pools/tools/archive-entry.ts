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
  /** The content of an entry, piece by piece. */
  read(index: number, password: string | undefined): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

export const MOST_ENTRIES = 10_000
export const MOST_BYTES = 500 * 2 ** 20
/** Nothing that is of use compresses better once it is this large. */
export const MOST_RATIO = 200
export const RATIO_FROM = 50 * 2 ** 20

export function broken(detail: string): Problem {
  return new Problem('ARCHIVE_PARSE_FAILED', { detail })
}

export function unsafe(
  reason: 'size' | 'ratio' | 'entries' | 'overlap' | 'path' | 'link',
  hints: object = {},
): Problem {
  return new Problem('ARCHIVE_UNSAFE', { reason, ...hints })
}

/** Lets pieces through up to a limit. */
export async function* limited(
  source: AsyncIterable<Uint8Array>,
  most: number,
  refuse: () => Problem,
): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const piece of source) {
    count += piece.length
    if (count > most) throw refuse()
    yield piece
  }
}
