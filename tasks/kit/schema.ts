import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { MediaFacts } from './media.ts'

/** Facts about a file that a cheap probe finds, without processing the whole file. */
export interface Facts {
  pages?: number
  encrypted?: boolean
  /** Properties of a PDF that need care when it is processed. */
  marks?: readonly PdfMark[]
  width?: number
  height?: number
  frames?: number
  seconds?: number
  rows?: number
  media?: MediaFacts
}

/**
 * `odd`: one of our readers can read it and another cannot. `repaired`: it was damaged. `restricted`: it opens without a
 * password but has an owner password. `links` includes named destinations.
 */
export type PdfMark =
  | 'outline'
  | 'links'
  | 'signature'
  | 'attachments'
  | 'layers'
  | 'tags'
  | 'labels'
  | 'odd'
  | 'repaired'
  | 'restricted'

export type FileSettings = Readonly<Record<string, unknown>>

/** The mark of input files. No JSON of a caller can have it, whatever its fields are called. */
export const INPUT_FILE = Symbol.for('coinop.input-file')

/**
 * A file as an operation gets it. An operation with tools passes `path` on to them. One without tools reads `bytes()` or
 * `chunks()`, because it may run in the api, where the file has no path.
 */
export interface InputFile {
  readonly [INPUT_FILE]: true
  readonly path: string
  /** The type detected from the content, never the one the caller claimed. */
  readonly type: string
  readonly sizeBytes: number
  readonly name: string | undefined
  readonly facts: Facts
  /** What the caller says of the file beside its source, where the field has such options. */
  readonly options?: FileSettings
  bytes(): Promise<Uint8Array<ArrayBuffer>>
  chunks(): AsyncIterable<Uint8Array>
}

/** A file that is found in an input by its mark. It is lost on the way to another process or thread. */
export function markInputFile<File extends object>(file: File): File & Pick<InputFile, typeof INPUT_FILE> {
  return { ...file, [INPUT_FILE]: true }
}

export function isInputFile(value: object): value is InputFile {
  return INPUT_FILE in value
}

/** In place of a source: the result of an earlier step, by its id or position; `index` picks one of several files. */
export interface StepSource {
  step: string | number
  index?: number
}

/** One of the two is set: bytes in memory, or the path of a file that a tool wrote. */
export interface FileContent {
  path?: string
  bytes?: Uint8Array
}

/** A file as an operation returns it. */
export interface OutputFile extends FileContent {
  contentType: string
  name: string
}

/** One file of a manifest; its other fields are part of the answer. */
export interface OutputPart extends OutputFile {
  [fact: string]: unknown
}

/**
 * `document` is either: an image counts as one page. `media-parts` also takes a recording that cannot be played, and
 * reports what is wrong with it. Only a PDF of `pdf-or-other` is probed. A still image of `media-or-image` is no recording.
 */
export type ProbeKind = 'pdf' | 'pdf-or-other' | 'image' | 'document' | 'media' | 'media-parts' | 'media-or-image'

export interface FileRule {
  accept: readonly string[]
  /** The problem that is thrown for a file of another type. */
  refuse: 'UNSUPPORTED_FORMAT' | 'PDF_PARSE_FAILED' | 'IMAGE_DECODE_FAILED'
  probe?: ProbeKind
  allowEmpty: boolean
  rows: boolean
  /** Whether a caller may name the file. */
  named: boolean
  /** Names of the options that a caller may give beside the source. */
  options?: readonly string[]
}

export const FILE_RULE = 'x-file'
export const OUTPUT_RULE = 'x-output'
export const SECRET_RULE = 'x-secret'
/** The name of a schema that every operation has, so that documents print it once. */
export const SHARED_RULE = 'x-shared'
/** Other names under which a caller may give a field. */
export const ALIASES_RULE = 'x-aliases'
/** The members of the source `file` that an object also takes beside its other fields. */
export const SHORTHAND_RULE = 'x-shorthand'
/** Of an object: a field that is null is one that is left out. */
export const NULLS_RULE = 'x-nulls'

type FileOptions = Partial<Omit<FileRule, 'probe' | 'options'>> & {
  probe?: ProbeKind
  description?: string
  options?: TProperties
}

const SOURCE_PROPERTIES = {
  inline: { type: 'string', description: 'Base64 of the bytes, at most 4 MiB decoded.' },
  inputKey: {
    type: 'string',
    maxLength: 255,
    description: 'A key from upload-url, or an outputKey of an earlier call.',
  },
  text: { type: 'string', description: 'The content as UTF-8 text.' },
  batonId: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    description:
      'A baton that you may read, or a token of it. It is one read of the baton, drawn before the call runs.',
  },
  entryRef: { type: 'integer', minimum: 1, description: 'With `batonId`: the number of one entry; logs need it.' },
  url: {
    type: 'string',
    format: 'uri',
    maxLength: 2048,
    description: 'A public http or https address to fetch, at most 50 MiB.',
  },
} as const

const NAME = { type: 'string', minLength: 1, maxLength: 1024, description: 'The name of the file.' }

/** A field for one file. The caller gives a source object; the operation gets an `InputFile`. */
export function FileInput(options: FileOptions = {}) {
  const { description, options: settings, ...rest } = options
  const rule: FileRule = {
    accept: ['*/*'],
    refuse: 'UNSUPPORTED_FORMAT',
    allowEmpty: false,
    rows: false,
    named: false,
    ...rest,
    ...(settings && { options: Object.keys(settings) }),
  }
  const rows = rule.rows ? { rows: { type: 'array', items: { type: 'object' }, description: 'Rows as JSON.' } } : {}
  return Type.Unsafe<InputFile>({
    type: 'object',
    title: 'Source',
    description: description ?? 'Give exactly one of its members.',
    properties: { ...SOURCE_PROPERTIES, ...rows, ...(rule.named && { name: NAME }), ...settings },
    additionalProperties: false,
    [FILE_RULE]: rule,
  })
}

export function FileOutput(contentType: string | readonly string[]) {
  return Type.Unsafe<OutputFile>({ ...OUTPUT_SCHEMA, [OUTPUT_RULE]: { contentTypes: [contentType].flat() } })
}

/** A list of files, each with its own facts; their content is never inline. */
export function FileManifest(contentType: string | readonly string[], facts: TProperties = {}) {
  const part = {
    type: 'object',
    properties: { index: { type: 'integer' }, ...PART_PROPERTIES, ...facts },
    required: ['index', 'outputKey', 'outputUrl', 'sizeBytes', 'contentType'],
  }
  return Type.Unsafe<OutputPart[]>({
    type: 'array',
    items: part,
    [OUTPUT_RULE]: { contentTypes: [contentType].flat() },
  })
}

const PART_PROPERTIES = {
  outputKey: { type: 'string' },
  outputUrl: { type: 'string', format: 'uri' },
  sizeBytes: { type: 'integer', minimum: 0 },
  contentType: { type: 'string' },
}

const OUTPUT_SCHEMA = {
  type: 'object',
  title: 'Output',
  description: 'The output file. Above 4 MiB of base64, only the key and the URL are present.',
  properties: { inline: { type: 'string' }, ...PART_PROPERTIES },
  required: ['sizeBytes', 'contentType'],
}

/** A string that is encrypted before it is stored, and never logged or echoed. */
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

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'

/** A UUID that a caller sends: bodies are checked for their patterns, and not for formats. */
export function UuidText(description?: string) {
  return Type.String({ format: 'uuid', pattern: UUID, ...(description && { description }) })
}

/** One of several strings, typed as a union of them. */
export function Choice<const Value extends string>(values: readonly Value[], options: Record<string, unknown> = {}) {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options })
}

export const Warnings = Type.Optional(
  Type.Array(Type.Object({ code: Type.String(), message: Type.String(), page: Type.Optional(Type.Integer()) })),
)

export interface Warning {
  code: string
  message: string
  page?: number
}

/** The fields of a new baton are checked by the intake, as those of POST /v1/baton are. */
const DELIVER = Type.Object(
  {
    batonId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A baton that you may write to, or a token of it.' }),
    ),
    new: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'The fields of POST /v1/baton, without its content: this baton is created with the output, at its price.',
      }),
    ),
  },
  {
    title: 'Deliver',
    [SHARED_RULE]: 'Deliver',
    description:
      'Also put the output into a baton: exactly one of batonId or new. Several files go as one zip, other results as a JSON file.',
  },
)

export const Delivered = Type.Optional(
  Type.Object(
    {
      batonId: Type.String(),
      entryRef: Type.Optional(Type.Integer({ description: 'Of a log: the number of the entry.' })),
    },
    {
      title: 'Delivered',
      [SHARED_RULE]: 'Delivered',
      description: 'Where the output is, if `deliver` was given. It can be a source of another call.',
    },
  ),
)

/** The options of every operation. The intake reads them; the operation does not see them. */
export const CALL_OPTIONS = {
  async: Type.Optional(Type.Boolean({ description: 'Answer at once with a ticket.' })),
  dryRun: Type.Optional(
    Type.Boolean({ description: 'Only check the input and compute the price; nothing is run or charged.' }),
  ),
  deliver: Type.Optional(DELIVER),
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
