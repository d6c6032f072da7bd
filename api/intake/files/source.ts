import { type DrawnSource, type FileRule, type FileSettings, INLINE_FILE_BYTES, isUuid, Problem, type Slot } from '#kit'
import { HEAD_BYTES } from '../../../tasks/formats/file-types/recognise.ts'
import { decodeBase64, estimateDecodedBytes } from '../body/base64.ts'
import type { FileLimits } from './limits.ts'
import { splitPriceToken } from './price-token.ts'

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
  /** What it is drawn from. */
  drawn?: DrawnSource
  /** Where the worker fetches it. */
  url?: string
  name?: string
  sha256?: string
  options?: FileSettings
}

interface Source {
  inline?: string
  inputKey?: string
  text?: string
  rows?: unknown[]
  url?: string
  name?: string
}

const OWN_FIELDS = ['inline', 'inputKey', 'text', 'rows', 'url'] as const
type OwnField = (typeof OWN_FIELDS)[number]

/** Resolves a source and checks that it belongs to the caller and is not too large. */
export async function findSource(value: unknown, slot: Slot<FileRule>, limits: FileLimits): Promise<FoundSource> {
  const source = value as Source & Record<string, unknown>
  const field = findArm(source, limits)
  if (field === undefined) throw new Problem('INVALID_SOURCE', { field: slot.field })
  const found = isOwn(field)
    ? await resolveSource(field, source, slot, limits)
    : await findKeptContent(field, source, slot, limits)
  const named = source.name === undefined ? found : { ...found, name: source.name }
  const options = readOptions(value as object, slot.rule.options)
  return options ? { ...named, options } : named
}

/** The one field that names a source; undefined if there is none, or something that does not go with it. */
function findArm(source: Readonly<Record<string, unknown>>, { kinds }: FileLimits): string | undefined {
  const fields = [...OWN_FIELDS, ...kinds.map(({ field }) => field)]
  const [arm, other] = fields.filter(name => source[name] !== undefined)
  const isStray = kinds.some(
    ({ field, companions }) => field !== arm && companions.some(name => source[name] !== undefined),
  )
  return other !== undefined || isStray ? undefined : arm
}

function isOwn(field: string): field is OwnField {
  return (OWN_FIELDS as readonly string[]).includes(field)
}

function readOptions(source: object, names: readonly string[] | undefined): FileSettings | undefined {
  return names && Object.fromEntries(Object.entries(source).filter(([name]) => names.includes(name)))
}

async function resolveSource(
  arm: OwnField,
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
      return findAtAddress(source.url!, slot, limits)
  }
}

/** The address of a file that the caller has here stands for its key, also where nothing is fetched from the web. */
async function findAtAddress(url: string, slot: Slot<FileRule>, limits: FileLimits): Promise<FoundSource> {
  const key = await findOwnKey(url, limits)
  return key === undefined ? findAddress(url, slot, limits) : findStoredObject(key, slot, limits)
}

async function findOwnKey(url: string, { store, accountId }: FileLimits): Promise<string | undefined> {
  const [key] = /scratch\/[^/?#]+\/[^/?#]+(?=$|[?#])/.exec(url) ?? []
  if (key === undefined || ownerOf(key) !== accountId) return undefined
  const [given, own] = [URL.parse(url), new URL(await store.presignGet(key, { expiresInSeconds: 60 }))]
  return given?.origin === own.origin && given.pathname === own.pathname ? key : undefined
}

/** Nothing is fetched here: the api would hold its callers up, and a price by size is known from the limit. */
function findAddress(url: string, { field }: Slot<FileRule>, { canFetch, maxBytes }: FileLimits): FoundSource {
  if (!canFetch) throw new Problem('MODE_DISABLED', { field, mode: 'url', set: 'OUTBOUND=public', instead: 'inputKey' })
  if (!/^https?:/i.test(url) || !URL.canParse(url)) throw new Problem('URL_NOT_ALLOWED', { field })
  return { url, sizeBytes: maxBytes, head: Buffer.alloc(0) }
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
  const { key, token } = splitPriceToken(inputKey)
  const ownerId = ownerOf(key)
  const isAllowed = ownerId !== undefined && (ownerId === limits.accountId || limits.mayPrice(key, token))
  const record = isAllowed ? await limits.readObject(ownerId, key) : undefined
  if (!record) throw new Problem('INPUT_NOT_FOUND', { field })
  if (record.isExpired) throw new Problem('INPUT_GONE', { field })
  const facts = await limits.store.stat(key)
  if (!facts) throw new Problem('INPUT_NOT_FOUND', { field })
  const { sizeBytes } = facts
  if (sizeBytes > limits.maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: limits.maxBytes, field })
  const head = sizeBytes === 0 ? Buffer.alloc(0) : await readHead(key, sizeBytes, limits)
  const bytes = sizeBytes <= INLINE_FILE_BYTES ? head : undefined
  return { key, sizeBytes, head, name: record.name, bytes }
}

/** The one type that is known of it is what its writer said, so it is recognised as that of any other file. */
async function findKeptContent(
  kind: string,
  source: Readonly<Record<string, unknown>>,
  { field }: Slot<FileRule>,
  limits: FileLimits,
): Promise<FoundSource> {
  const found = await limits.findKept(kind, source).catch((error: unknown) => {
    throw error instanceof Problem ? new Problem(error.code, { ...error.hints, field }) : error
  })
  const { sizeBytes, bytes, key } = found
  const drawn = { field: kind, ...found.drawn }
  if (sizeBytes > limits.maxBytes) throw new Problem('STORED_INPUT_TOO_LARGE', { ceiling: limits.maxBytes, field })
  if (bytes || !key) return { drawn, sizeBytes, bytes, head: (bytes ?? Buffer.alloc(0)).subarray(0, HEAD_BYTES) }
  const head = await readHead(key, sizeBytes, limits)
  return { drawn, sizeBytes, key, head, bytes: sizeBytes <= INLINE_FILE_BYTES ? head : undefined }
}

/** The key is rebuilt from its parts, so that no other spelling can name an object. */
function ownerOf(key: string): string | undefined {
  const [, ownerId = '', id = ''] = key.split('/')
  return isUuid(ownerId) && isUuid(id) && key === `scratch/${ownerId}/${id.toLowerCase()}` ? ownerId : undefined
}

async function readHead(key: string, sizeBytes: number, { store }: FileLimits): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await store.read(key, { start: 0, end: Math.min(HEAD_BYTES, sizeBytes) - 1 })) {
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
