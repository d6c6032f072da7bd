import type { FileHandle } from 'node:fs/promises'
import { Problem } from '#kit'
import { parseProblem } from '../unzip/entry.ts'

const MAX_END_BYTES = 65_557
const RECORD64_BYTES = 56
const END_MARK = Buffer.from('PK\x05\x06', 'latin1')

interface EndRecord {
  count: number
  size: number
  /** Where the directory is in the file. */
  offset: number
  /** How many bytes stand before the archive that its offsets do not count, as of a program that unpacks it. */
  shift: number
}

type Counts = Omit<EndRecord, 'shift'>

export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw parseProblem('the archive is truncated')
  return buffer
}

/** Reads where the central directory is. */
export async function readEndRecord(file: FileHandle, sizeBytes: number): Promise<EndRecord> {
  const { tail, position } = await findEnd(file, sizeBytes)
  if (position === undefined) throw parseProblem('the end of the central directory is missing')
  const locator = position - 20
  const isZip64 = locator >= 0 && tail.toString('latin1', locator, position - 16) === 'PK\x06\x07'
  const start = sizeBytes - tail.length
  const { end, before } = isZip64
    ? await readRecord64(file, tail.subarray(locator), start + locator)
    : { end: readRecord(tail.subarray(position)), before: start + position }
  if (end.count === 0 && (await readAt(file, 0, 4)).toString('latin1') === 'PK\x03\x04')
    throw parseProblem('the end of the central directory counts no entries, but there are some')
  return placeDirectory(file, end, before)
}

/** Whether a file that does not begin as a zip is one, after other bytes. */
export async function hasZipEnd(file: FileHandle, sizeBytes: number): Promise<boolean> {
  return (await findEnd(file, sizeBytes)).position !== undefined
}

/** Its comment reaches the end of the file; a comment can contain the mark too. Bytes after it are tolerated. */
async function findEnd(file: FileHandle, sizeBytes: number): Promise<{ tail: Buffer; position?: number }> {
  const length = Math.min(sizeBytes, MAX_END_BYTES)
  const tail = await readAt(file, sizeBytes - length, length)
  const found: number[] = []
  for (let at = tail.indexOf(END_MARK); at >= 0; at = tail.indexOf(END_MARK, at + 1)) {
    if (at + 22 <= length) found.push(at)
  }
  const exact = found.filter(at => at + 22 + tail.readUInt16LE(at + 20) === length)
  if (exact.length > 1) throw parseProblem('there are two ends of the central directory')
  return { tail, position: exact[0] ?? found.at(-1) }
}

function readRecord(record: Buffer): Counts {
  const count = record.readUInt16LE(10)
  const isSplit = record.readUInt32LE(4) !== 0 || record.readUInt16LE(8) !== count
  if (isSplit) throw splitProblem()
  return { count, size: record.readUInt32LE(12), offset: record.readUInt32LE(16) }
}

/** What the end and its zip64 record both say must be the same. */
async function readRecord64(file: FileHandle, locator: Buffer, locatorAt: number) {
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw splitProblem()
  const claimed = Number(locator.readBigUInt64LE(8))
  const { record, position } = await findRecord64(file, claimed, locatorAt)
  const [onThisDisk, count, size, offset] = [24, 32, 40, 48].map(from => Number(record.readBigUInt64LE(from))) as [
    number,
    number,
    number,
    number,
  ]
  if (record.readBigUInt64LE(16) !== 0n || onThisDisk !== count) throw splitProblem()
  const plain = locator.subarray(20)
  const fits = (plainValue: number, unknownValue: number, value: number) =>
    plainValue === unknownValue || plainValue === value
  const isSame =
    fits(plain.readUInt16LE(10), 0xffff, count) &&
    fits(plain.readUInt32LE(12), 0xffffffff, size) &&
    fits(plain.readUInt32LE(16), 0xffffffff, offset)
  // Only bytes before the archive can have moved it, and they move the directory as far.
  if (position !== claimed && claimed !== offset + size)
    throw parseProblem('the zip64 end of the central directory is damaged')
  if (!isSame) throw parseProblem('the two ends of the central directory differ')
  return { end: { count, size, offset }, before: position }
}

/** Where the locator says, or directly before it. */
async function findRecord64(file: FileHandle, claimed: number, locatorAt: number) {
  for (const position of [claimed, locatorAt - RECORD64_BYTES]) {
    if (position < 0 || position + RECORD64_BYTES > locatorAt) continue
    const record = await readAt(file, position, RECORD64_BYTES)
    if (record.toString('latin1', 0, 4) === 'PK\x06\x06') return { record, position }
  }
  throw parseProblem('the zip64 end of the central directory is damaged')
}

/** The directory stands where its offset says, or directly before its end if bytes were put before the archive. */
async function placeDirectory(file: FileHandle, end: Counts, before: number): Promise<EndRecord> {
  const shift = before - end.size - end.offset
  if (shift < 0) throw parseProblem('the central directory lies outside the file')
  if (shift === 0 || end.count === 0) return { ...end, shift: 0 }
  const [isInPlace, isShifted] = [await isEntry(file, end.offset), await isEntry(file, end.offset + shift)]
  if (isInPlace && isShifted) throw parseProblem('there are two central directories')
  return isShifted ? { ...end, offset: end.offset + shift, shift } : { ...end, shift: 0 }
}

async function isEntry(file: FileHandle, at: number): Promise<boolean> {
  return (await readAt(file, at, 4)).toString('latin1') === 'PK\x01\x02'
}

export function splitProblem(): Problem {
  return new Problem('UNSUPPORTED_FORMAT', {
    detected: 'one part of a zip that was split into several',
    supported: ['zip in one part; join the parts with zip -s 0'],
  })
}
