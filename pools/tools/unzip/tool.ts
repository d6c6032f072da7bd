import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Problem } from '#kit'
import type { JobContext } from '../../job-context.ts'
import { hasZipEnd } from '../zip/end-record.ts'
import { openZip } from '../zip/reader.ts'
import {
  type ArchiveEntry,
  checkSizes,
  limitBytes,
  MAX_BYTES,
  MAX_RATIO,
  MIN_BYTES_FOR_RATIO,
  type OpenArchive,
  parseProblem,
  sumCompressed,
  unsafeProblem,
} from './entry.ts'
import { isTar, openTar } from './tar-reader.ts'

export function bind(context: JobContext) {
  return {
    list: (path: string) => withArchive(context, path, async ({ format, entries }) => ({ format, entries })),
    /** Writes the entries to files of the job and returns their paths in the same order. */
    extract: (path: string, indexes: readonly number[], password?: string) =>
      withArchive(context, path, archive => extract(context, archive, indexes, password)),
    /** The content of the entries, in the same order. */
    read: (path: string, indexes: readonly number[]) =>
      withArchive(context, path, archive => readEntries(archive, indexes)),
  }
}

async function withArchive<Value>(
  context: JobContext,
  path: string,
  use: (archive: OpenArchive) => Promise<Value>,
): Promise<Value> {
  const archive = await openArchive(context, path)
  try {
    return await use(archive)
  } finally {
    await archive.close()
  }
}

async function openArchive(context: JobContext, path: string): Promise<OpenArchive> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const header = (await file.read(Buffer.alloc(512), 0, 512, 0)).buffer
    if (header[0] === 0x1f && header[1] === 0x8b) return await openGzip(context, path, file, size)
    if (isTar(header)) return await openTar(file, size)
    if (header.toString('latin1', 0, 2) === 'PK' || (await hasZipEnd(file, size))) return await openZip(file, size)
    throw new Problem('UNSUPPORTED_FORMAT', { supported: ['zip', 'tar', 'tar.gz', 'gz', '7z', 'rar'] })
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Decompresses to a file first, within the limits, because only the content shows whether it is a tar archive. */
async function openGzip(context: JobContext, path: string, file: FileHandle, size: number): Promise<OpenArchive> {
  const inner = context.out('inner.bin')
  await gunzip(path, inner, size)
  const plain = await open(inner)
  const { size: sizeBytes } = await plain.stat()
  const header = (await plain.read(Buffer.alloc(512), 0, 512, 0)).buffer
  if (isTar(header)) {
    await file.close()
    return openTar(plain, sizeBytes)
  }
  await plain.close()
  const name = await readGzipName(file)
  const entry: ArchiveEntry = { name, kind: 'file', sizeBytes, compressedBytes: size, isEncrypted: false }
  return { format: 'gzip', entries: [entry], read: () => createReadStream(inner), close: () => file.close() }
}

async function gunzip(path: string, to: string, size: number): Promise<void> {
  const target = await open(to, 'w')
  const maxBytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES_FOR_RATIO, size * MAX_RATIO))
  const enforceLimit = (source: AsyncIterable<Buffer>) =>
    limitBytes(source, maxBytes, () =>
      maxBytes === MAX_BYTES
        ? unsafeProblem('size', { limitBytes: MAX_BYTES })
        : unsafeProblem('ratio', { limit: MAX_RATIO }),
    )
  try {
    await pipeline(createReadStream(path), createGunzip(), enforceLimit, async source => {
      for await (const chunk of source as AsyncIterable<Uint8Array>) await target.write(chunk)
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw parseProblem((error as Error).message)
  } finally {
    await target.close()
  }
}

async function readGzipName(file: FileHandle): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(300), 0, 300, 0)
  const hasName = (buffer[3]! & 8) !== 0 && (buffer[3]! & 4) === 0
  return hasName ? buffer.toString('latin1', 10, Math.max(10, buffer.indexOf(0, 10))) : ''
}

async function readEntries(archive: OpenArchive, indexes: readonly number[]): Promise<Uint8Array[]> {
  const entries = indexes.map(index => archive.entries[index]!)
  checkSizes(entries, sumCompressed(entries))
  const contents: Uint8Array[] = []
  for (const index of indexes) contents.push(Buffer.concat(await Array.fromAsync(archive.read(index, undefined))))
  return contents
}

async function extract(
  context: JobContext,
  archive: OpenArchive,
  indexes: readonly number[],
  password: string | undefined,
): Promise<string[]> {
  const entries = indexes.map(index => archive.entries[index]!)
  checkSizes(entries, sumCompressed(entries))
  const paths: string[] = []
  for (const [position, index] of indexes.entries()) {
    const to = context.out(`entry-${position}`)
    const target = await open(to, 'wx')
    try {
      for await (const chunk of archive.read(index, password)) await target.write(chunk)
    } finally {
      await target.close()
    }
    paths.push(to)
  }
  return paths
}
