import { type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** What can be known of a file without running anything on the whole of it. */
export interface Facts {
  pages?: number
  encrypted?: boolean
  /** What of a PDF needs care when its pages move. */
  marks?: readonly PdfMark[]
  width?: number
  height?: number
  frames?: number
  seconds?: number
  rows?: number
}

/**
 * `odd` is read by one of our readers and not by another, `repaired` was damaged, `restricted` opens freely but has an
 * owner's password, `links` includes named targets.
 */
export type PdfMark =
  | 'outline'
  | 'links'
  | 'signature'
  | 'attachments'
  | 'layers'
  | 'tags'
  | 'odd'
  | 'repaired'
  | 'restricted'

/**
 * A file as an operation gets it. An operation with tools hands `path` on; one without reads `bytes()` or
 * `chunks()`, because on the instant lane there is no path.
 */
export interface InputFile {
  readonly path: string
  /** The type its content shows, never the one the caller claimed. */
  readonly type: string
  readonly sizeBytes: number
  readonly name: string | undefined
  readonly facts: Facts
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  chunks(): AsyncIterable<Uint8Array>
}

/** A file as an operation gives it back: by path where a tool wrote it, by bytes where JavaScript made it. */
export interface OutputFile {
  path?: string
  bytes?: Uint8Array
  contentType: string
  name: string
}

/** One part of a manifest; what it carries besides stands in the answer. */
export interface OutputPart extends OutputFile {
  [fact: string]: unknown
}

export type ProbeKind = 'pdf' | 'image'

export interface FileRule {
  accept: readonly string[]
  /** The problem that a file of another family answers with. */
  refuse: 'UNSUPPORTED_FORMAT' | 'PDF_PARSE_FAILED' | 'IMAGE_DECODE_FAILED'
  probe?: ProbeKind
  allowEmpty: boolean
  rows: boolean
  /** Whether a caller may say what the file is called. */
  named: boolean
}

export const FILE_RULE = 'x-file'
export const OUTPUT_RULE = 'x-output'
export const SECRET_RULE = 'x-secret'

type FileOptions = Partial<Omit<FileRule, 'probe'>> & { probe?: ProbeKind; description?: string }

const SOURCE_PROPERTIES = {
  inline: { type: 'string', description: 'Base64 of the bytes, at most 4 MiB decoded.' },
  inputKey: {
    type: 'string',
    maxLength: 255,
    description: 'A key from upload-url, or an outputKey of an earlier call.',
  },
  text: { type: 'string', description: 'The content as UTF-8 text.' },
  url: {
    type: 'string',
    format: 'uri',
    maxLength: 2048,
    description: 'An address to fetch, where the operator allows it.',
  },
  batonId: { type: 'string', maxLength: 64 },
  entryRef: { type: 'string', maxLength: 64 },
} as const

const NAME = { type: 'string', minLength: 1, maxLength: 1024, description: 'What the file is called.' }

/** One file. Whoever calls gives a source object; whoever runs gets an `InputFile`. */
export function FileInput(options: FileOptions = {}) {
  const { description, ...rest } = options
  const rule: FileRule = {
    accept: ['*/*'],
    refuse: 'UNSUPPORTED_FORMAT',
    allowEmpty: false,
    rows: false,
    named: false,
    ...rest,
  }
  const rows = rule.rows ? { rows: { type: 'array', items: { type: 'object' }, description: 'Rows as JSON.' } } : {}
  return Type.Unsafe<InputFile>({
    type: 'object',
    title: 'Source',
    description: description ?? 'Exactly one of inline, inputKey, text or url.',
    properties: { ...SOURCE_PROPERTIES, ...rows, ...(rule.named && { name: NAME }) },
    additionalProperties: false,
    [FILE_RULE]: rule,
  })
}

export function FileOutput(contentType: string | readonly string[]) {
  return Type.Unsafe<OutputFile>({ ...ENVELOPE, [OUTPUT_RULE]: { contentTypes: [contentType].flat() } })
}

/** Several files with facts of their own; never inline. */
export function FileManifest(contentType: string | readonly string[], facts: TProperties = {}) {
  const part = {
    type: 'object',
    properties: { index: { type: 'integer' }, ...PART, ...facts },
    required: ['index', 'outputKey', 'outputUrl', 'sizeBytes', 'contentType'],
  }
  return Type.Unsafe<OutputPart[]>({
    type: 'array',
    items: part,
    [OUTPUT_RULE]: { contentTypes: [contentType].flat() },
  })
}

const PART = {
  outputKey: { type: 'string' },
  outputUrl: { type: 'string', format: 'uri' },
  sizeBytes: { type: 'integer', minimum: 0 },
  contentType: { type: 'string' },
}

const ENVELOPE = {
  type: 'object',
  title: 'Output',
  description: 'The output file. Above 4 MiB of base64 only the key and the address are present.',
  properties: { inline: { type: 'string' }, ...PART },
  required: ['sizeBytes', 'contentType'],
}

/** A string that is sealed before it is stored anywhere and never logged, echoed or kept. */
export function Secret(options: { description?: string; maxLength?: number; minLength?: number } = {}) {
  return Type.Unsafe<string>({ type: 'string', ...options, [SECRET_RULE]: true })
}

export function PageRanges(options: { default?: string; description?: string } = {}) {
  return Type.String({
    maxLength: 10_000,
    description: 'Pages such as 1-3,5, 7-, last, last-2, odd, even or all; the first page is 1.',
    ...options,
  })
}

/** A choice among words, with the type of its members. */
export function Choice<const Word extends string>(words: readonly Word[], options: Record<string, unknown> = {}) {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...options })
}

export const Warnings = Type.Optional(
  Type.Array(Type.Object({ code: Type.String(), message: Type.String(), page: Type.Optional(Type.Integer()) })),
)

export interface Warning {
  code: string
  message: string
  page?: number
}

/** What every operation takes besides its own fields; the door reads these, the operation never sees them. */
export const CALL_OPTIONS = {
  async: Type.Optional(Type.Boolean({ description: 'Answer with a ticket at once.' })),
  dryRun: Type.Optional(Type.Boolean({ description: 'All checks and the price; nothing run, nothing charged.' })),
}

export const FILE_CALL_OPTIONS = {
  filename: Type.Optional(Type.String({ maxLength: 255, description: 'Name of the output file.' })),
  inlineOutput: Type.Optional(Type.Union([Type.Literal('auto'), Type.Literal('never')])),
}

export function withProperties(schema: TSchema, extra: TProperties): TSchema {
  const arms = (schema as { oneOf?: TSchema[] }).oneOf
  if (arms) return { ...schema, oneOf: arms.map(arm => withProperties(arm, extra)) } as TSchema
  const object = schema as TObject
  return { ...object, properties: { ...extra, ...object.properties } } as TSchema
}
