import { Type } from 'typebox'
import { Choice, FileInput, type InputFile, Secret } from '#kit'
import { SPLITS, type Split } from '../../../engines/chunks/split.ts'

/** As much as a call to write vectors may embed. */
export const MAX_TEXT_BYTES = 3 * 2 ** 20

const Words = (maxLength: number, description?: string) =>
  Type.String({ maxLength, pattern: '^[^\\u0000\\ud800-\\udfff]*$', ...(description && { description }) })
const Value = Type.Union([Words(2_000), Type.Number(), Type.Boolean(), Type.Array(Words(200), { maxItems: 100 })])

export const INGEST_FIELDS = {
  text: Type.Optional(Type.String({ minLength: 1, description: 'The text or Markdown itself, of at most 3 MiB.' })),
  file: Type.Optional(
    FileInput({
      probe: 'pdf-or-other',
      named: true,
      description:
        'In place of `text`: a document as doc/to-markdown reads it, such as PDF, docx, HTML, epub, csv or xlsx.',
    }),
  ),
  password: Type.Optional(Secret({ maxLength: 127, description: 'Opens an encrypted document.' })),
  batonId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'A vector baton, or one of its tokens. Left out: a new one.',
    }),
  ),
  baton: Type.Optional(
    Type.Object(
      {
        tier: Type.Optional(Choice(['femto', 'pico', 'nano', 'micro', 'standard', 'big'])),
        customShape: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), { description: 'As POST /v1/baton takes it.' }),
        ),
        name: Type.Optional(Words(255)),
      },
      { description: 'Of the new baton; its tier is nano if nothing is said. Its price is part of that of the call.' },
    ),
  ),
  docId: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._:-]{1,110}$',
      description: 'Names the document; the same name again replaces it. Left out: the SHA-256 of its text.',
    }),
  ),
  namespace: { ...Words(64, 'A part of the baton, searched apart.'), default: '' },
  metadata: Type.Optional(
    Type.Record(Type.String({ pattern: '^(?!\\$)[^\\u0000\\ud800-\\udfff]{1,128}$' }), Value, {
      additionalProperties: false,
      description:
        'Kept with each chunk, beside docId, n, start, end, heading, page and pageEnd. At most 4 KiB as JSON.',
    }),
  ),
  split: Choice(SPLITS, {
    default: 'sentence',
    description:
      '`markdown` begins a chunk at each heading, `fixed` cuts by size alone. No table or code that fits is cut.',
  }),
  chunkBytes: Type.Integer({ minimum: 200, maximum: 8_000, default: 1_200 }),
  overlapBytes: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4_000,
      description:
        'What a chunk has in common with the one before, at most half of it. Left out: 150, or half of a chunk below 300.',
    }),
  ),
  replaceDoc: Type.Boolean({
    default: true,
    description: 'Remove what the baton has of this document; otherwise a document that is there is refused.',
  }),
}

/** A size of chunks that is smaller than usual needs no overlap to be given with it. */
export function overlapOf({ chunkBytes, overlapBytes }: Pick<IngestCall, 'chunkBytes' | 'overlapBytes'>): number {
  return overlapBytes ?? Math.min(USUAL_OVERLAP_BYTES, Math.floor(chunkBytes / 2))
}

const USUAL_OVERLAP_BYTES = 150

/** The body of a call. */
export interface IngestCall {
  text?: string
  file?: InputFile
  password?: string
  batonId?: string
  baton?: { tier?: string; customShape?: Record<string, unknown>; name?: string }
  docId?: string
  namespace: string
  metadata?: Record<string, string | number | boolean | string[]>
  split: Split
  chunkBytes: number
  overlapBytes?: number
  replaceDoc: boolean
}

const Step = Type.Object({
  name: Choice(['read', 'chunk', 'embed', 'write']),
  status: Choice(['succeeded']),
  chargedMicros: Type.String(),
  ms: Type.Integer(),
})

export const IngestReply = Type.Object({
  batonId: Type.String(),
  created: Type.Boolean({ description: 'Whether the baton is new.' }),
  docId: Type.String(),
  chunks: Type.Integer(),
  replaced: Type.Integer({ description: 'How many chunks of the same document were removed.' }),
  dimensions: Type.Integer(),
  model: Type.String(),
  engine: Choice(['lexical', 'provider'], { description: '`lexical` compares wording, `provider` meaning.' }),
  bytes: Type.Integer({ description: 'Of the text.' }),
  count: Type.Integer({ description: 'How many vectors the baton holds.' }),
  bytesUsed: Type.String({ description: 'Of the size of the baton.' }),
  steps: Type.Array(Step),
  chargedMicros: Type.String(),
})
