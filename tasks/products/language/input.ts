import { Type } from 'typebox'
import { Choice, FileInput, type InputFile, Problem, type Tools, type Warning } from '#kit'
import { type ReadText, readTextFile } from '../../formats/charsets/read-text.ts'
import { TIERS } from '../../formats/language/tiers.ts'
import { openPdf } from '../../formats/pdf/opening.ts'
import { cleanText } from '../../formats/pdf/plain-text.ts'

/** Of one text, after it was read. */
export const MAX_TEXT_BYTES = 200 * 1024
const MAX_TEXTS = 100

export const METHODS = ['auto', 'embedded', 'provider'] as const

export const TASK_FIELDS = {
  tier: Choice(TIERS, { default: 'value', description: 'How good the language model is, where one is asked.' }),
  input: Type.Union(
    [
      Type.String({ minLength: 1 }),
      FileInput({
        probe: 'pdf-or-other',
        named: true,
        description: 'A text, or a document with text: PDF, HTML, docx, odt, epub.',
      }),
      Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_TEXTS }),
    ],
    { description: 'A text of at most 200 KiB, a file, or up to 100 texts that are done one by one.' },
  ),
  maxCostMicros: Type.Optional(
    Type.Integer({ minimum: 1_000, maximum: 1_000_000, description: 'The call is refused before it could cost more.' }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
      description: 'Of the text, such as de. Left out: found by its words.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description: 'For the same answer again, as far as a language model gives it. Built-in engines always do.',
    }),
  ),
  method: Choice(METHODS, {
    default: 'auto',
    description: '`embedded`: never ask a model; `provider`: only a model; `auto`: a model where there is one.',
  }),
}

export type TextInput = string | readonly string[] | InputFile

/** Types whose bytes are the text. */
const PLAIN_TYPE = /^text\/(?!html)|^application\/(?:json|x-ndjson)$/

/** The size of each text, as far as it is known before a document is opened. */
export function listTextBytes(input: TextInput): number[] {
  if (typeof input === 'string') return [Buffer.byteLength(input)]
  if (Array.isArray(input)) return input.map(text => Buffer.byteLength(text as string))
  const { type, sizeBytes } = input as InputFile
  return [PLAIN_TYPE.test(type) ? Math.min(sizeBytes, MAX_TEXT_BYTES) : MAX_TEXT_BYTES]
}

export const DOCUMENT_TOOLS = ['htmlToText', 'pandoc', 'poppler', 'qpdf'] as const

/** Whether tools may be needed to read it. */
export function isDocument(input: unknown): boolean {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}

export type DocumentTools = Pick<Tools, (typeof DOCUMENT_TOOLS)[number]> & { out(name: string): string }

interface ReadTexts {
  texts: string[]
  warnings: Warning[]
}

/** The texts of a call. */
export async function readTexts(input: TextInput, tools: DocumentTools): Promise<ReadTexts> {
  if (typeof input === 'string') return { texts: [input], warnings: [] }
  if (Array.isArray(input)) return { texts: [...(input as string[])], warnings: [] }
  const { text, warnings = [] } = await readFile(input as InputFile, tools)
  return { texts: [text], warnings }
}

const HTML_OPTIONS = {
  ...({ mode: 'plain', wordwrap: 0, links: 'ignore', images: 'ignore', tables: true } as const),
  ...{ include: [], exclude: [] },
}

const PANDOC_FORMATS: Record<string, 'docx' | 'odt' | 'epub'> = {
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/epub+zip': 'epub',
}

export function checkText(text: string): void {
  if (text.trim() === '') throw new Problem('INPUT_EMPTY')
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > MAX_TEXT_BYTES) throw new Problem('CONTEXT_TOO_LONG', { sizeBytes, limitBytes: MAX_TEXT_BYTES })
}

async function readFile(file: InputFile, tools: DocumentTools): Promise<ReadText> {
  if (file.type === 'application/pdf') return { text: await readPdf(file, tools) }
  const format = PANDOC_FORMATS[file.type]
  if (format !== undefined) return { text: await tools.pandoc.convertToText({ path: file.path }, format) }
  const read = await readTextFile(file)
  if (file.type !== 'text/html') return read
  const { text } = await tools.htmlToText.convert(read.text, HTML_OPTIONS)
  return { ...read, text }
}

async function readPdf(file: InputFile, { poppler, qpdf, out }: DocumentTools): Promise<string> {
  const path = await openPdf(file, { qpdf, password: undefined, to: out('opened.pdf') })
  const pages = await poppler.extractText(path, { first: 1, last: file.facts.pages ?? 1, layout: 'reading' })
  return pages.map(page => cleanText(page, true)).join('\n\n')
}
