import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ProbeOutput } from '../../../tasks/formats/media/description.ts'
import { describePlainMp4, type Mp4File } from '../../../tasks/formats/media/plain-mp4/describe.ts'

/** A larger index would block this thread for long. */
const MAX_INDEX_BYTES = 2 ** 20
const MAX_TYPE_BYTES = 256
const MAX_BOXES = 32
const LARGE = 1

/** Describes the plainest kind of MP4 without a program; nothing for any other file. */
export async function describePlainFile(path: string): Promise<ProbeOutput | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const boxes = await readTopBoxes(file)
    return boxes && describePlainMp4(boxes)
  } finally {
    await file.close()
  }
}

async function readTopBoxes(file: FileHandle): Promise<Mp4File | undefined> {
  const { size: sizeBytes } = await file.stat()
  const boxes = await listTopBoxes(file, sizeBytes)
  const all = (type: string) => boxes.filter(box => box.type === type)
  const [types, indexes, media, unused] = [all('ftyp'), all('moov'), all('mdat'), all('free')]
  const isPlain = types.length === 1 && indexes.length === 1 && boxes[0] === types[0]
  if (!isPlain || types.length + indexes.length + media.length + unused.length < boxes.length) return undefined
  const [type, movie] = [
    await readContent(file, types[0]!, MAX_TYPE_BYTES),
    await readContent(file, indexes[0]!, MAX_INDEX_BYTES),
  ]
  return type && movie ? { type, movie, media, sizeBytes } : undefined
}

interface TopBox {
  type: string
  start: number
  end: number
}

/** Empty if the boxes do not fill the file exactly. */
async function listTopBoxes(file: FileHandle, sizeBytes: number): Promise<TopBox[]> {
  const boxes: TopBox[] = []
  let at = 0
  while (at < sizeBytes && boxes.length < MAX_BOXES) {
    const box = await readBox(file, at)
    if (!box) return []
    boxes.push(box)
    at = box.end
  }
  return at === sizeBytes ? boxes : []
}

async function readBox(file: FileHandle, at: number): Promise<TopBox | undefined> {
  const header = Buffer.alloc(16)
  const { bytesRead } = await file.read(header, 0, 16, at)
  const size = header.readUInt32BE(0)
  const type = header.toString('latin1', 4, 8)
  const start = at + (size === LARGE ? 16 : 8)
  const end = at + (size === LARGE ? Number(header.readBigUInt64BE(8)) : size)
  return end < start || start - at > bytesRead ? undefined : { type, start, end }
}

async function readContent(file: FileHandle, { start, end }: TopBox, limit: number): Promise<DataView | undefined> {
  if (end - start > limit) return undefined
  const bytes = new Uint8Array(end - start)
  await file.read(bytes, 0, bytes.length, start)
  return new DataView(bytes.buffer)
}
