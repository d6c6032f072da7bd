import type { FileHandle } from 'node:fs/promises'
import { Problem } from '#kit'
import { parseProblem } from '../unzip/entry.ts'

const MAX_END_BYTES = 65_557
const RECORD64_BYTES = 56

interface EndRecord {
  count: number
  size: number
  offset: number
}

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw parseProblem('the archive is truncated')
  return buffer
}

/** Reads where the central directory is. */
export async function readEndRecord(file: FileHandle, sizeBytes: number): Promise<EndRecord> {
  const length = Math.min(sizeBytes, MAX_END_BYTES)
  const tail = await readAt(file, sizeBytes - length, length)
  const position = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (position < 0 || position + 22 > length) throw parseProblem('the end of the central directory is missing')
  const locator = position - 20
  const isZip64 = locator >= 0 && tail.toString('latin1', locator, position - 16) === 'PK\x06\x07'
  const end = isZip64
    ? await readRecord64(file, tail.subarray(locator, position), sizeBytes)
    : readRecord(tail.subarray(position))
  if (end.count === 0 && (await readAt(file, 0, 4)).toString('latin1') === 'PK\x03\x04')
    throw parseProblem('the end of the central directory counts no entries, but there are some')
  return end
}

function readRecord(record: Buffer): EndRecord {
  const count = record.readUInt16LE(10)
  const isSplit = record.readUInt32LE(4) !== 0 || record.readUInt16LE(8) !== count
  if (isSplit) throw splitProblem()
  return { count, size: record.readUInt32LE(12), offset: record.readUInt32LE(16) }
}

async function readRecord64(file: FileHandle, locator: Buffer, sizeBytes: number): Promise<EndRecord> {
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw splitProblem()
  const position = Number(locator.readBigUInt64LE(8))
  if (position + RECORD64_BYTES > sizeBytes) throw parseProblem('the central directory lies outside the file')
  const record = await readAt(file, position, RECORD64_BYTES)
  if (record.toString('latin1', 0, 4) !== 'PK\x06\x06')
    throw parseProblem('the zip64 end of the central directory is damaged')
  const [onThisDisk, count, size, offset] = [24, 32, 40, 48].map(from => Number(record.readBigUInt64LE(from))) as [
    number,
    number,
    number,
    number,
  ]
  if (record.readBigUInt64LE(16) !== 0n || onThisDisk !== count) throw splitProblem()
  return { count, size, offset }
}

export function splitProblem(): Problem {
  return new Problem('UNSUPPORTED_FORMAT', {
    detected: 'one part of a zip that was split into several',
    supported: ['zip in one part; join the parts with zip -s 0'],
  })
}
