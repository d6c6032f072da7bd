import { type FileRule, INLINE_FILE_BYTES, isUuid, Problem, type Slot } from '#kit'
import { decodeBase64, decodedBytes } from './base64.ts'
import type { FileRoom } from './files.ts'
import { HEAD_BYTES } from './sniff.ts'

/** A source found: where its bytes are, how many, and how they begin. */
export interface Found {
  sizeBytes: number
  head: Buffer
  /** Came as text, so it is text. */
  isText?: boolean
  /** Known without a look, as of rows. */
  type?: string
  bytes?: Buffer
  key?: string
  name?: string
  sha256?: string
}

interface Source {
  inline?: string
  inputKey?: string
  text?: string
  rows?: unknown[]
  url?: string
  batonId?: string
  entryRef?: string
  name?: string
}

const ARMS = ['inline', 'inputKey', 'text', 'rows', 'url', 'batonId'] as const

/** Finds what a caller's source names, and checks that it is the caller's and not too large. */
export async function findSource(value: unknown, slot: Slot<FileRule>, room: FileRoom): Promise<Found> {
  const source = value as Source
  const [arm, other] = ARMS.filter(name => source[name] !== undefined)
  if (!arm || other || (source.entryRef !== undefined && arm !== 'batonId')) {
    throw new Problem('INVALID_SOURCE', { field: slot.field })
  }
  const found = await foundBy(arm, source, slot, room)
  return source.name === undefined ? found : { ...found, name: source.name }
}

async function foundBy(
  arm: (typeof ARMS)[number],
  source: Source,
  slot: Slot<FileRule>,
  room: FileRoom,
): Promise<Found> {
  switch (arm) {
    case 'inline':
      return inlineBytes(source.inline!, slot, room)
    case 'inputKey':
      return storedObject(source.inputKey!, slot, room)
    case 'text':
      return textBytes(source.text!, slot, room)
    case 'rows':
      return { ...textBytes(JSON.stringify(source.rows), slot, room), type: 'application/json' }
    case 'url':
      throw new Problem('MODE_DISABLED', { field: slot.field, mode: 'url' })
    case 'batonId':
      throw new Problem('INPUT_NOT_FOUND', { field: slot.field })
  }
}

function inlineBytes(text: string, { field }: Slot<FileRule>, room: FileRoom): Found {
  checkInline(decodedBytes(text), field, room)
  const bytes = decodeBase64(text, field)
  return { bytes, sizeBytes: bytes.length, head: bytes.subarray(0, HEAD_BYTES) }
}

function textBytes(text: string, { field }: Slot<FileRule>, room: FileRoom): Found {
  checkInline(Buffer.byteLength(text), field, room)
  const bytes = Buffer.from(text)
  return { bytes, sizeBytes: bytes.length, head: bytes.subarray(0, HEAD_BYTES), isText: true }
}

function checkInline(sizeBytes: number, field: string, { maxInlineBytes }: FileRoom): void {
  if (sizeBytes > maxInlineBytes) throw new Problem('INPUT_TOO_LARGE', { ceiling: maxInlineBytes, field })
}

async function storedObject(inputKey: string, { field }: Slot<FileRule>, room: FileRoom): Promise<Found> {
  const upload = room.uploads.get(inputKey)
  if (upload) return upload
  const key = ownKey(inputKey, room.accountId)
  const record = key && (await room.readObject(key))
  if (!key || !record) throw new Problem('INPUT_NOT_FOUND', { field })
  if (record.isExpired) throw new Problem('INPUT_GONE', { field })
  const facts = await room.store.stat(key)
  if (!facts) throw new Problem('INPUT_NOT_FOUND', { field })
  const { sizeBytes } = facts
  if (sizeBytes > room.maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: room.maxBytes, field })
  const head = sizeBytes === 0 ? Buffer.alloc(0) : await readHead(key, sizeBytes, room)
  const bytes = sizeBytes <= INLINE_FILE_BYTES ? head : undefined
  return { key, sizeBytes, head, name: record.name, bytes }
}

/** The key is made anew from who calls, so that no spelling of it can lead to another's. */
function ownKey(inputKey: string, accountId: string): string | undefined {
  const id = inputKey.slice(inputKey.lastIndexOf('/') + 1)
  const key = `scratch/${accountId}/${id.toLowerCase()}`
  return isUuid(id) && key === inputKey ? key : undefined
}

async function readHead(key: string, sizeBytes: number, { store }: FileRoom): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(key, { start: 0, end: Math.min(HEAD_BYTES, sizeBytes) - 1 })) {
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
