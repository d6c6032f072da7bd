import type { HostContext } from '../../host-context.ts'
import type { ArchiveEntry } from '../unzip/entry.ts'
import { convertRar } from './rar.ts'
import { extractSevenZip, listSevenZip } from './seven-zip.ts'

/** 7-Zip reads 7z; Debian builds it without RAR, which bsdtar reads. Both are only run as confined programs. */
export function bind(context: HostContext) {
  return {
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
