import { Type } from 'typebox'
import { ALIASES_RULE, Choice, FileInput, type InputFile, Problem, Secret } from '#kit'
import type { PageTable } from '../engines/page-tables/present.ts'
import type { TextBlock } from '../formats/document/blocks.ts'
import { Box, Confidence, toBox } from '../formats/document/box.ts'
import { PAGE_ENGINES } from '../formats/document/hosted.ts'
import type { FormField } from '../formats/page-forms/field.ts'

export { Box, Confidence, toBox }

const PDF = 'application/pdf'
/** What is read as a page. */
export const PAGE_TYPES = ['image/jpeg', 'image/png', 'image/tiff', 'image/webp', 'image/heic', 'image/heif', PDF]
const MAX_BYTES = 5 * 2 ** 20

export function DocumentInput(description?: string) {
  return FileInput({ accept: PAGE_TYPES, probe: 'document', description })
}

/** The fields of every operation that reads one page. */
export const pageFields = {
  file: DocumentInput('One page: a JPEG, PNG, TIFF, WebP or HEIC, or a PDF, of at most 5 MB.'),
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100_000, description: 'The page of a document that has several.' }),
  ),
  languages: Type.Array(Type.String({ pattern: '^[A-Za-z]{2,4}([-_][A-Za-z0-9]{2,8}){0,2}$' }), {
    default: ['eng'],
    minItems: 1,
    maxItems: 5,
    description:
      'Of the text in images, such as de or deu, the most likely first; a provider that finds them itself says so. `language` takes one.',
    [ALIASES_RULE]: ['language'],
  }),
  password: Type.Optional(Secret({ maxLength: 127, description: 'Password that opens an encrypted PDF.' })),
  minConfidence: Type.Number({ default: 0, minimum: 0, maximum: 1, description: 'Leave out what is less certain.' }),
}

/** Problems of every operation that reads one page. */
export const PAGE_ERRORS = [
  'UNSUPPORTED_FORMAT',
  'PDF_PARSE_FAILED',
  'PDF_PASSWORD_REQUIRED',
  'PDF_PASSWORD_INCORRECT',
  'IMAGE_DECODE_FAILED',
  'TOO_MANY_PAGES',
  'TOO_MANY_PIXELS',
  'INPUT_TOO_LARGE',
  'BAD_RANGE',
  'LANGUAGE_UNSUPPORTED',
  'OUTPUT_TOO_LARGE',
  'TIME_LIMIT_EXCEEDED',
  'MEMORY_LIMIT_EXCEEDED',
  'SANDBOX_UNAVAILABLE',
] as const

/** Problems of operations that a provider may serve. */
export const HOSTED_ERRORS = ['PROVIDER_UNAVAILABLE'] as const

/** Who has read the page. */
export const Engine = Choice(PAGE_ENGINES)

/** Which page to read. A document of several pages needs `page`, so that nobody pays for another one. */
export function choosePage(file: InputFile, page: number | undefined): number {
  const pageCount = file.facts.pages ?? file.facts.frames ?? 1
  if (page !== undefined && page > pageCount)
    throw new Problem('BAD_RANGE', { field: 'page', segment: `${page}`, pageCount })
  if (page === undefined && pageCount > 1)
    throw new Problem('TOO_MANY_PAGES', {
      limit: 1,
      actual: pageCount,
      detail: 'set page, and call once for each page',
    })
  if (pageCount === 1) checkSize(file.sizeBytes)
  return page ?? 1
}

function checkSize(sizeBytes: number): void {
  if (sizeBytes > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { ceiling: MAX_BYTES, sizeBytes })
}

export const NO_TEXT_FOUND = { code: 'NO_TEXT_FOUND', message: 'No readable text was found on the page.' }

const Place = Type.Integer({ minimum: 0 })
const Span = Type.Integer({ minimum: 1 })

/** A table of a page, as every operation answers it. */
export const TableFields = {
  method: Choice(['lattice', 'stream', 'model'], {
    description: 'Found by its lines, by the gaps between its columns, or by a provider.',
  }),
  box: Box,
  rows: Span,
  cols: Span,
  headerRows: Place,
  caption: Type.Optional(Type.String()),
  cells: Type.Optional(
    Type.Array(
      Type.Object({
        r: Place,
        c: Place,
        rowSpan: Span,
        colSpan: Span,
        text: Type.String(),
        number: Type.Optional(Type.Number()),
        confidence: Confidence,
        box: Box,
      }),
      { description: 'By row and column, from 0.' },
    ),
  ),
}

/** A table with its boxes as shares of the page. */
export function describeTable(table: PageTable, page: { width: number; height: number }) {
  const cells = table.cells.map(cell => ({ ...cell, box: toBox(cell.box, page) }))
  return { ...table, box: toBox(table.box, page), cells }
}

/** A field of a form, as every operation answers it. */
export const FieldFields = {
  key: Type.String(),
  value: Type.String(),
  type: Choice(['text', 'checkbox', 'date', 'number', 'signature']),
  checked: Type.Optional(Type.Boolean()),
  keyBox: Type.Optional(Box),
  valueBox: Type.Optional(Box),
  confidence: Confidence,
  source: Choice(['text-layer', 'ocr', 'form', 'model']),
}

/** A field with its boxes as shares of the page. */
export function describeField(field: FormField, page: { width: number; height: number }) {
  const { keyBox, valueBox, ...facts } = field
  return {
    ...facts,
    ...(keyBox && { keyBox: toBox(keyBox, page) }),
    ...(valueBox && { valueBox: toBox(valueBox, page) }),
  }
}

/** A block of a page, as every operation answers it. */
export const BlockFields = {
  id: Type.String(),
  type: Type.String(),
  level: Type.Optional(Type.Integer()),
  text: Type.String(),
  box: Box,
  order: Type.Integer(),
  confidence: Confidence,
}

/** Blocks with their boxes as shares of the page; their ids stay the same from call to call. */
export function describeBlocks(blocks: readonly TextBlock[], page: { width: number; height: number }, number: number) {
  return blocks.map(({ type, level, text, box, lines }, order) => {
    const mean = lines.reduce((sum, { confidence }) => sum + confidence, 0) / lines.length
    return {
      ...{ id: `p${number}-b${order + 1}`, type, ...(level !== undefined && { level }), text },
      ...{ box: toBox(box, page), order, confidence: Math.round(mean * 1000) / 1000 },
    }
  })
}
