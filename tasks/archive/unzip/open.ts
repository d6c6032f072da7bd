import type { InputFile } from '#kit'
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
  file: InputFile,
  password: string | undefined,
  { unzip, packedArchives }: ArchiveTools,
): Promise<Archive> {
  const { path } = file
  const packed = await recognisePacked(file)
  if (packed === '7z') {
    const entries = await packedArchives.listSevenZip(path, password)
    const extract = (wanted: readonly number[]) => packedArchives.extractSevenZip(path, entries, { wanted, password })
    return { format: packed, entries, extract }
  }
  const source = packed === 'rar' ? await packedArchives.convertRar(path) : path
  const { format, entries } = await unzip.list(source)
  return { format: packed ?? format, entries, extract: wanted => unzip.extract(source, wanted, password) }
}

const SIGNATURES = { '7z': Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), rar: Buffer.from('Rar!\x1a\x07', 'latin1') }

/** Tells the formats that need a program, which may be missing, by their first bytes. */
async function recognisePacked(file: InputFile): Promise<'7z' | 'rar' | undefined> {
  for await (const chunk of file.chunks())
    return (['7z', 'rar'] as const).find(format => SIGNATURES[format].equals(chunk.subarray(0, 6)))
  return undefined
}
