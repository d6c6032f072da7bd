import { Type } from 'typebox'
import { Choice, type InputFile, Secret } from '#kit'
import { ScanInput } from '../../../formats/ocr/options.ts'

export const MAX_PAGES = 200

const Tier = Type.Optional(
  Type.Object(
    { tier: Type.Optional(Choice(['femto', 'pico', 'nano', 'micro', 'standard', 'big'])) },
    { additionalProperties: false },
  ),
)

export const DOCUMENT_FIELDS = {
  file: ScanInput(),
  password: Type.Optional(Secret({ maxLength: 127, description: 'Opens an encrypted PDF.' })),
  ocr: Choice(['auto', 'force', 'off'], {
    default: 'auto',
    description: '`auto` reads the pages without text, `force` all of them, `off` none: the PDF is stored as it is.',
  }),
  languages: Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
    default: ['eng'],
    minItems: 1,
    maxItems: 5,
  }),
  tables: Type.Boolean({ default: true, description: 'Also store the tables of all pages, as one workbook.' }),
  index: Type.Boolean({ default: false, description: 'Also make the text searchable, as bundles/rag-ingest does.' }),
  keepPartial: Type.Boolean({
    default: false,
    description:
      'Store the PDF also if its tables or its text cannot be read, or are more than their batons take. What failed costs nothing, and `steps` says why.',
  }),
  batons: Type.Object(
    { pdf: Tier, tables: Tier, vectors: Tier },
    {
      default: {},
      additionalProperties: false,
      description:
        'Their tiers: nano, of 10 MiB, for the PDF and for the vectors, pico, of 1 MiB, for the tables if left out.',
    },
  ),
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^\\u0000\\ud800-\\udfff]*$',
      description: 'Of the batons.',
    }),
  ),
}

/** The body of a call. */
export interface DocumentCall {
  file: InputFile
  password?: string
  ocr: 'auto' | 'force' | 'off'
  languages: string[]
  tables: boolean
  index: boolean
  keepPartial: boolean
  batons: Partial<Record<BatonPart, { tier?: string }>>
  name?: string
}

export type BatonPart = 'pdf' | 'tables' | 'vectors'

const Nullable = Type.Union([Type.String(), Type.Null()])

export const DocumentReply = Type.Object({
  pdf: Type.Object({ batonId: Type.String(), pages: Type.Integer(), ocrPages: Type.Integer() }),
  tables: Type.Optional(
    Type.Object({
      batonId: { ...Nullable, description: 'Null where no page has a table, or reading them failed.' },
      tables: Type.Integer(),
      sheets: Type.Array(
        Type.Object({ name: Type.String(), page: Type.Integer(), rows: Type.Integer(), cols: Type.Integer() }),
      ),
    }),
  ),
  vectors: Type.Optional(
    Type.Object({
      batonId: { ...Nullable, description: 'Null where the document has no text, or indexing it failed.' },
      chunks: Type.Integer(),
      docId: Nullable,
      model: Type.String(),
    }),
  ),
  steps: Type.Array(
    Type.Object({
      name: Choice(['ocr', 'tables', 'text', 'index', 'store']),
      status: Choice(['succeeded', 'failed'], { description: '`failed` only with `keepPartial`.' }),
      chargedMicros: Type.String(),
      ms: Type.Integer(),
      error: Type.Optional(
        Type.Object({ error: Type.String(), code: Type.String() }, { additionalProperties: Type.Unknown() }),
      ),
    }),
  ),
  chargedMicros: Type.String(),
})
