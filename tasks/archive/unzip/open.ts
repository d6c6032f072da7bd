import type { Tools } from '../../kit/operation.ts'

type ArchiveTools = Pick<Tools, 'unzip' | 'packedArchives'>
type Listing = Awaited<ReturnType<Tools['unzip']['list']>>

interface Archive {
  format: Listing['format'] | '7z' | 'rar'
  entries: Listing['entries']
  /** Returns the paths of the entries with these indexes. */
  extract(wanted: readonly number[]): Promise<string[]>
}

/** Lists an archive of any format, with what unpacks it. */
export async function openArchive(
  path: string,
  password: string | undefined,
  { unzip, packedArchives }: ArchiveTools,
): Promise<Archive> {
  const packed = await packedArchives.recognise(path)
  if (packed === '7z') {
    const entries = await packedArchives.listSevenZip(path, password)
    const extract = (wanted: readonly number[]) => packedArchives.extractSevenZip(path, entries, { wanted, password })
    return { format: packed, entries, extract }
  }
  const source = packed === 'rar' ? await packedArchives.convertRar(path) : path
  const { format, entries } = await unzip.list(source)
  return { format: packed ?? format, entries, extract: wanted => unzip.extract(source, wanted, password) }
}
