import { type FileRule, INLINE_FILE_BYTES, isUuid, Problem, type Slot } from '#kit'
import { HEAD_BYTES } from '../../../tasks/formats/file-types/recognise.ts'
import { decodeBase64, estimateDecodedBytes } from '../body/base64.ts'
import type { FileLimits } from './limits.ts'

/** A resolved source: where its bytes are, how many, and how they begin. */
export interface FoundSource {
  sizeBytes: number
  head: Buffer
  /** It was given as text. */
  isText?: boolean
  /** Set when the type is known without sniffing, as for rows. */
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

const KINDS = ['inline', 'inputKey', 'text', 'rows', 'url', 'batonId'] as const

/** Resolves a source and checks that it belongs to the caller and is not too large. */
export async function findSource(value: unknown, slot: Slot<FileRule>, limits: FileLimits): Promise<FoundSource> {
  const source = value as Source
  const [arm, other] = KINDS.filter(name => source[name] !== undefined)
  if (!arm || other || (source.entryRef !== undefined && arm !== 'batonId')) {
    throw new Problem('INVALID_SOURCE', { field: slot.field })
  }
  const found = await resolveSource(arm, source, slot, limits)
  return source.name === undefined ? found : { ...found, name: source.name }
}

async function resolveSource(
  arm: (typeof KINDS)[number],
  source: Source,
  slot: Slot<FileRule>,
  limits: FileLimits,
): Promise<FoundSource> {
  switch (arm) {
    case 'inline':
      return decodeInline(source.inline!, slot, limits)
    case 'inputKey':
      return findStoredObject(source.inputKey!, slot, limits)
    case 'text':
      return encodeText(source.text!, slot, limits)
    case 'rows':
      return { ...encodeText(JSON.stringify(source.rows), slot, limits), type: 'application/json' }
    case 'url':
      throw new Problem('MODE_DISABLED', { field: slot.field, mode: 'url' })
    case 'batonId':
      throw new Problem('INPUT_NOT_FOUND', { field: slot.field })
  }
}

function decodeInline(text: string, { field }: Slot<FileRule>, limits: FileLimits): FoundSource {
  checkInline(estimateDecodedBytes(text), field, limits)
  const bytes = decodeBase64(text, field)
  return { bytes, sizeBytes: bytes.length, head: bytes.subarray(0, HEAD_BYTES) }
}

function encodeText(text: string, { field }: Slot<FileRule>, limits: FileLimits): FoundSource {
  checkInline(Buffer.byteLength(text), field, limits)
  const bytes = Buffer.from(text)
  return { bytes, sizeBytes: bytes.length, head: bytes.subarray(0, HEAD_BYTES), isText: true }
}

function checkInline(sizeBytes: number, field: string, { maxInlineBytes }: FileLimits): void {
  if (sizeBytes > maxInlineBytes) throw new Problem('INPUT_TOO_LARGE', { ceiling: maxInlineBytes, field })
}

async function findStoredObject(inputKey: string, { field }: Slot<FileRule>, limits: FileLimits): Promise<FoundSource> {
  const upload = limits.uploads.get(inputKey)
  if (upload) return upload
  const key = rebuildOwnKey(inputKey, limits.accountId)
  const record = key && (await limits.readObject(key))
  if (!key || !record) throw new Problem('INPUT_NOT_FOUND', { field })
  if (record.isExpired) throw new Problem('INPUT_GONE', { field })
  const facts = await limits.store.stat(key)
  if (!facts) throw new Problem('INPUT_NOT_FOUND', { field })
  const { sizeBytes } = facts
  if (sizeBytes > limits.maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: limits.maxBytes, field })
  const head = sizeBytes === 0 ? Buffer.alloc(0) : await readHead(key, sizeBytes, limits)
  const bytes = sizeBytes <= INLINE_FILE_BYTES ? head : undefined
  return { key, sizeBytes, head, name: record.name, bytes }
}

/** The key is rebuilt from the caller's account, so that no spelling can name another account's object. */
function rebuildOwnKey(inputKey: string, accountId: string): string | undefined {
  const id = inputKey.slice(inputKey.lastIndexOf('/') + 1)
  const key = `scratch/${accountId}/${id.toLowerCase()}`
  return isUuid(id) && key === inputKey ? key : undefined
}

async function readHead(key: string, sizeBytes: number, { store }: FileLimits): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(key, { start: 0, end: Math.min(HEAD_BYTES, sizeBytes) - 1 })) {
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
