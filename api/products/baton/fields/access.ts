import { type Static, Type } from 'typebox'
import { Problem } from '#kit'
import { useAfterUpload } from '../../../../ops/products/baton/uploads.ts'
import { type EntryFilter, type EntryPage, listEntries } from '../../../../sql/baton/entries.ts'
import type { Visitor } from '../../../../sql/baton/visitor.ts'
import type { ApiContext } from '../../../context.ts'
import { readTime } from '../tokens.ts'

/** Owners and listed accounts by their credentials, others by a token in the place of the id. */
export const READER_AUTH = ['key', 'wallet', 'none'] as const
export const WRITER_AUTH = ['key', 'wallet', 'x402', 'none'] as const
export const OWNER_READS = ['key', 'wallet'] as const
export const OWNER_AUTH = ['key', 'wallet', 'x402'] as const

export const BatonRef = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'The id of the baton, or one of its tokens.' }),
})
export const BatonId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

/** The tag of a baton is the number of its last entry. */
export const BATON_TAG = /^\d{1,15}$/
/** The headers that let a call change only what its caller has read. */
export const CONDITION_HEADERS = {
  'If-Match': Type.Optional(Type.String({ description: 'The ETag of the last entry: its number, in quotes.' })),
}

const Text = Type.Optional(Type.String({ maxLength: 255 }))
const SINCE = 'The last number that you have, or an ISO 8601 time.'
export const FilterQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 }),
  since: Type.Optional(Type.String({ maxLength: 40, description: SINCE })),
  until: Type.Optional(Type.String({ maxLength: 40, description: 'An ISO 8601 time.' })),
  writer: Text,
  type: Text,
})

/** Entries that a caller may read, with what was uploaded last. */
export function listNew(context: ApiContext, by: Visitor, filter: EntryFilter): Promise<EntryPage> {
  return useAfterUpload(context, by, visitor => listEntries(context.db, visitor, filter))
}

export function readFilter({ limit, offset, since, until, writer, type }: Static<typeof FilterQuery>): EntryFilter {
  const isNumber = since !== undefined && /^\d{1,15}$/.test(since)
  if ([writer, type].some(text => text?.includes('\0'))) throw new Problem('INVALID_PARAM', { field: 'writer' })
  return {
    ...{ limit, offset, writer, type },
    ...(since !== undefined && (isNumber ? { sinceSeq: since } : { sinceTime: readTime('since', since) })),
    ...(until !== undefined && { untilTime: readTime('until', until) }),
  }
}

const Digest = Type.Optional(Type.String({ description: 'Hexadecimal SHA-256, of chained batons.' }))
const ENTRY_FIELDS = {
  seq: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  writer: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  sha256: Type.String({ description: 'Hexadecimal SHA-256 of the content.' }),
  prev: Digest,
  hash: Digest,
}
export const EntryReply = Type.Object(ENTRY_FIELDS)

export const QuotasReply = Type.Object({
  egressBytesLeft: Type.String(),
  readsLeft: Type.Integer(),
  writesLeft: Type.Integer(),
  sizeBytesLeft: Type.String(),
  warnings: Type.Array(Type.String({ description: 'low_egress, low_time or low_writes: a tenth or less is left.' })),
})

export const EntriesReply = Type.Object({
  data: Type.Array(
    Type.Object({
      ...ENTRY_FIELDS,
      content: Type.Optional(Type.String({ description: 'Of entries up to 16 KiB.' })),
      contentEncoding: Type.Optional(Type.String()),
    }),
  ),
  last: Type.Integer({ description: 'The number of the last entry.' }),
  quotas: QuotasReply,
})

export function showEntries({ entries, last, quotas }: EntryPage) {
  const data = entries.map(({ entry, content }) => {
    if (content === null) return entry
    const bytes = Buffer.from(content, 'base64')
    const text = bytes.toString('utf8')
    const isText = Buffer.from(text, 'utf8').equals(bytes)
    return { ...entry, content: isText ? text : bytes.toString('base64'), contentEncoding: isText ? 'utf-8' : 'base64' }
  })
  return { data, last, quotas }
}

export const USE_ERRORS = [
  'NOT_FOUND',
  'GONE',
  'FORBIDDEN',
  'MISSING_AUTH',
  'SIGN_IN_REQUIRED',
  'UNAUTHENTICATED',
  'ACCOUNT_SUSPENDED',
] as const
