import { type InputFile, type Price, Problem, usd } from '#kit'
import { classifyOffice, type OfficeFormat } from '../../formats/office/classify.ts'
import { limitPages } from '../../formats/office/price.ts'

const PDF = 'application/pdf'
const PANDOC_FORMATS = ['docx', 'odt', 'pptx', 'epub', 'html', 'ipynb'] as const
const SHEET_FORMATS = ['xlsx', 'xls', 'ods', 'csv'] as const
const PRINTED_FORMATS = ['doc', 'ppt', 'odp', 'rtf', 'ott', 'otp'] as const
export const FORMATS: readonly string[] = ['pdf', ...PANDOC_FORMATS, ...SHEET_FORMATS, ...PRINTED_FORMATS, 'txt']

/** Who reads a document. An encrypted package is a `docx` to LibreOffice, which finds what it is with the password. */
type Source =
  | { reader: 'pandoc'; format: (typeof PANDOC_FORMATS)[number] }
  | { reader: 'tables'; format: (typeof SHEET_FORMATS)[number] }
  | { reader: 'libreoffice'; format: (typeof PRINTED_FORMATS)[number] | 'docx' }
  | { reader: 'poppler'; format: 'pdf' }
  | { reader: 'none'; format: 'txt' }

const KNOWN_TYPES: Record<string, Source | undefined> = {
  [PDF]: { reader: 'poppler', format: 'pdf' },
  'application/epub+zip': { reader: 'pandoc', format: 'epub' },
  'text/html': { reader: 'pandoc', format: 'html' },
}

/** Finds the format of a document by its content. */
export async function detectSource(file: InputFile): Promise<Source> {
  const known = KNOWN_TYPES[file.type]
  if (known) return known
  const bytes = Buffer.from(await file.bytes())
  if (file.type === 'application/json' && bytes.includes('"nbformat"')) return { reader: 'pandoc', format: 'ipynb' }
  const found = classifyOffice(bytes)
  const format = found?.isPlain ? findPlainFormat(file, found) : found?.extension
  if (format === 'docx' && !found!.isPackage) return { reader: 'libreoffice', format }
  if (format === 'txt') return { reader: 'none', format }
  if (isOneOf(PANDOC_FORMATS, format)) return { reader: 'pandoc', format }
  if (isOneOf(SHEET_FORMATS, format)) return { reader: 'tables', format }
  if (isOneOf(PRINTED_FORMATS, format) && isPrinted(file)) return { reader: 'libreoffice', format }
  throw unsupported(file.type, format)
}

const PLAIN_TYPES = /^(?:text\/(?:plain|markdown|csv|tab-separated-values)|application\/octet-stream)$/

/** Markdown has tables too, so a name that says text is believed. */
function findPlainFormat({ type, name = '' }: InputFile, found: OfficeFormat): 'txt' | 'csv' | 'eml' | undefined {
  if (!PLAIN_TYPES.test(type)) return undefined
  if (/\.(?:csv|tsv)$/i.test(name)) return 'csv'
  if (/\.(?:md|markdown|txt)$/i.test(name)) return 'txt'
  if (found.extension === 'eml') return 'eml'
  return found.isPlain === 'table' ? 'csv' : 'txt'
}

function isOneOf<Name extends string>(names: readonly Name[], name: string | undefined): name is Name {
  return (names as readonly (string | undefined)[]).includes(name)
}

function unsupported(type: string, format: string | undefined): Problem {
  const next = type.startsWith('image/') ? '/v1/doc/ocr-layout' : format && (CALLS_FOR[format] ?? '/v1/office/rescue')
  return new Problem('UNSUPPORTED_FORMAT', {
    ...{ field: 'file', detected: format ?? type, supported: FORMATS },
    ...(next && { try: next }),
  })
}

/** The calls that read what this one does not. */
const CALLS_FOR: Record<string, string | undefined> = { eml: '/v1/text/email' }

const PRINTED_TYPES =
  /^application\/(?:x-cfb|rtf|vnd\.oasis\.opendocument\.(?:presentation|text-template|presentation-template))$/

/** Known from the type alone, before the file is read, because it decides the price. */
function isPrinted({ type }: InputFile): boolean {
  return PRINTED_TYPES.test(type)
}

const PAGES_PER_UNIT = 20
const MEBIBYTE = 2 ** 20

export function countPrintedUnits(pages: number): number {
  return Math.max(1, Math.ceil(pages / PAGES_PER_UNIT))
}

/** As pdf/to-markdown, pdf/from-office, doc/convert and the operations on tables cost for their formats. */
export const PRICE: Price<{ file: InputFile }> = {
  unit: 'started MiB',
  rateMicros: usd('0.001'),
  baseMicros: 0n,
  basis: 'content',
  minUnits: 1,
  units: countMebibytes,
  variants: [
    {
      when: 'the file is a PDF',
      factor: 3,
      unit: 'page',
      applies: ({ file }) => file.type === PDF,
      units: ({ file }) => file.facts.pages ?? 1,
    },
    {
      when: 'the file is RTF, odp, a template of OpenDocument, doc, xls or ppt, or encrypted',
      factor: 10,
      unit: `started ${PAGES_PER_UNIT} pages`,
      applies: ({ file }) => isPrinted(file),
      units: ({ file }) => countPrintedUnits(limitPages({ file })),
    },
    {
      when: 'the file is docx, odt, pptx, epub, HTML or a notebook',
      factor: 2,
      applies: ({ file: { type } }) => !TABLE_TYPES.test(type),
    },
  ],
  note: 'Only the pages that were printed are charged.',
}

const TABLE_TYPES = /spreadsheet|excel|^text\/(?:plain|markdown|csv|tab-separated-values)$|^application\/octet-stream$/

function countMebibytes({ file }: { file: InputFile }): number {
  return Math.max(1, Math.ceil(file.sizeBytes / MEBIBYTE))
}
