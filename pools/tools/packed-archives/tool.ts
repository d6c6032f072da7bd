import { open } from 'node:fs/promises'
import type { HostContext } from '../../host-context.ts'
import type { ArchiveEntry } from '../unzip/entry.ts'
import { convertRar } from './rar.ts'
import { extractSevenZip, listSevenZip } from './seven-zip.ts'

/** 7-Zip reads 7z; Debian builds it without RAR, which bsdtar reads. Both are only run as confined programs. */
export function bind(context: HostContext) {
  return {
    /** Which of these formats the file has, by its first bytes. */
    recognise,
    listSevenZip: (path: string, password?: string) => listSevenZip(context, path, password),
    /** Writes the entries to files of the job and returns their paths in the same order. */
    extractSevenZip: (
      path: string,
      entries: readonly ArchiveEntry[],
      options: { wanted: readonly number[]; password?: string },
    ) => extractSevenZip(context, path, entries, options),
    /** Unpacks a RAR archive into a tar, within the limits of all archives, and returns its path. */
    convertRar: (path: string) => convertRar(context, path),
  }
}

const SIGNATURES = { '7z': Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), rar: Buffer.from('Rar!\x1a\x07', 'latin1') }

async function recognise(path: string): Promise<'7z' | 'rar' | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(6), 0, 6, 0)
    const head = buffer.subarray(0, bytesRead)
    return (['7z', 'rar'] as const).find(format => head.equals(SIGNATURES[format]))
  } finally {
    await file.close()
  }
}
