import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Problem } from '#kit'
import type { JobRoom } from '../job-room.ts'
import {
  type ArchiveEntry,
  broken,
  limited,
  MOST_BYTES,
  MOST_RATIO,
  type OpenArchive,
  RATIO_FROM,
  unsafe,
} from './archive-entry.ts'
import { isTar, openTar } from './tar-read.ts'
import { openZip } from './zip-read.ts'

export function bind(room: JobRoom) {
  return {
    list: (path: string) => withArchive(room, path, async ({ format, entries }) => ({ format, entries })),
    /** Writes entries into files of the job, in the order they are asked for. */
    extract: (path: string, wanted: readonly number[], password?: string) =>
      withArchive(room, path, archive => extract(room, archive, wanted, password)),
  }
}

async function withArchive<Value>(
  room: JobRoom,
  path: string,
  use: (archive: OpenArchive) => Promise<Value>,
): Promise<Value> {
  const archive = await openArchive(room, path)
  try {
    return await use(archive)
  } finally {
    await archive.close()
  }
}

async function openArchive(room: JobRoom, path: string): Promise<OpenArchive> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const head = (await file.read(Buffer.alloc(512), 0, 512, 0)).buffer
    if (head[0] === 0x1f && head[1] === 0x8b) return await openGzip(room, path, file, size)
    if (isTar(head)) return await openTar(file, size)
    if (head.toString('latin1', 0, 2) === 'PK' || (await hasZipEnd(file, size))) return await openZip(file, size)
    throw new Problem('UNSUPPORTED_FORMAT', { supported: ['zip', 'tar', 'tar.gz', 'gz'] })
  } catch (error) {
    await file.close()
    throw error
  }
}

async function hasZipEnd(file: FileHandle, size: number): Promise<boolean> {
  if (size < 22) return false
  const { buffer } = await file.read(Buffer.alloc(22), 0, 22, size - 22)
  return buffer.toString('latin1', 0, 4) === 'PK\x05\x06'
}

/** Unpacked into a file first, where it shows what it is; never more than the limits allow. */
async function openGzip(room: JobRoom, path: string, file: FileHandle, size: number): Promise<OpenArchive> {
  const inner = room.out('inner.bin')
  await unpack(path, inner, size)
  const plain = await open(inner)
  const { size: sizeBytes } = await plain.stat()
  const head = (await plain.read(Buffer.alloc(512), 0, 512, 0)).buffer
  if (isTar(head)) {
    await file.close()
    return openTar(plain, sizeBytes)
  }
  await plain.close()
  const name = await gzipName(file)
  const entry: ArchiveEntry = { name, kind: 'file', sizeBytes, compressedBytes: size, isEncrypted: false }
  return { format: 'gzip', entries: [entry], read: () => createReadStream(inner), close: () => file.close() }
}

async function unpack(path: string, to: string, size: number): Promise<void> {
  const target = await open(to, 'w')
  const most = Math.min(MOST_BYTES, Math.max(RATIO_FROM, size * MOST_RATIO))
  const guarded = (source: AsyncIterable<Buffer>) =>
    limited(source, most, () =>
      most === MOST_BYTES ? unsafe('size', { limitBytes: MOST_BYTES }) : unsafe('ratio', { limit: MOST_RATIO }),
    )
  try {
    await pipeline(createReadStream(path), createGunzip(), guarded, async source => {
      for await (const piece of source as AsyncIterable<Uint8Array>) await target.write(piece)
    })
  } catch (error) {
    if (error instanceof Problem) throw error
    throw broken((error as Error).message)
  } finally {
    await target.close()
  }
}

async function gzipName(file: FileHandle): Promise<string> {
  const { buffer } = await file.read(Buffer.alloc(300), 0, 300, 0)
  const hasName = (buffer[3]! & 8) !== 0 && (buffer[3]! & 4) === 0
  return hasName ? buffer.toString('latin1', 10, Math.max(10, buffer.indexOf(0, 10))) : ''
}

async function extract(
  room: JobRoom,
  archive: OpenArchive,
  wanted: readonly number[],
  password: string | undefined,
): Promise<string[]> {
  const entries = wanted.map(index => archive.entries[index]!)
  const total = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  if (total > MOST_BYTES) throw unsafe('size', { limitBytes: MOST_BYTES, actual: total })
  const packed = entries.reduce((sum, { compressedBytes }) => sum + compressedBytes, 0)
  if (total > RATIO_FROM && total > packed * MOST_RATIO)
    throw unsafe('ratio', { limit: MOST_RATIO, actual: Math.round(total / packed) })
  const paths: string[] = []
  for (const [place, index] of wanted.entries()) {
    const to = room.out(`entry-${place}`)
    const target = await open(to, 'wx')
    try {
      for await (const piece of archive.read(index, password)) await target.write(piece)
    } finally {
      await target.close()
    }
    paths.push(to)
  }
  return paths
}
