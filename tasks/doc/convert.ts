import { Type } from 'typebox'
import { define, exactlyOne, FileInput, FileOutput, type InputFile, type Price, Problem, usd } from '#kit'
import {
  CONVERSIONS,
  isLossy,
  MARKUP_FORMATS,
  type MarkupFormat,
  NAMED_CONVERSIONS,
  PDF_STEPS,
  type SourceFormat,
  TARGET_FORMATS,
} from '../formats/markup/formats.ts'
import { buildSettings, ConvertOptions } from './convert/options.ts'
import { detectFormat, requireSourceFormat } from './convert/source.ts'

const MEBIBYTE = 2 ** 20
const MAX_TEXT_BYTES = 4 * MEBIBYTE
const ZIP = 'application/zip'

type DocumentInput = { file?: InputFile; text?: string }
const PRICE: Price<DocumentInput> = {
  unit: 'started MiB',
  rateMicros: usd('0.002'),
  baseMicros: 0n,
  basis: 'body',
  minUnits: 1,
  units: ({ file, text }) => Math.max(1, Math.ceil((file?.sizeBytes ?? Buffer.byteLength(text ?? '')) / MEBIBYTE)),
}

export default define({
  summary: 'Convert a document between markup formats.',
  keywords:
    'pandoc, markdown to docx, markdown to word, word from markdown, docx to markdown, word to html, epub, latex, odt, rtf, rst, org, notebook, slides, typst, html to docx, list the comments of a word document, review comments, tracked changes',
  converts: NAMED_CONVERSIONS,
  isFeatured: true,
  description:
    `From ${Object.keys(CONVERSIONS).join(', ')}; GET /v1/doc/formats lists the targets of each. The document cannot ` +
    'make the converter read other files or the network: what it refers to is reported as RESOURCE_MISSING.',
  price: PRICE,
  uses: ['pandoc'],
  input: Type.Object({
    file: Type.Optional(FileInput({ description: 'The document; text in UTF-8 or UTF-16. Give file or text.' })),
    text: Type.Optional(Type.String({ description: 'A document as text, at most 4 MiB. Give file or text.' })),
    from: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'Format of the document. Left out: found by content for docx, odt, epub, ipynb and html.',
      }),
    ),
    to: Type.String({ maxLength: 20, description: `One of ${TARGET_FORMATS.join(', ')}.` }),
    options: ConvertOptions,
  }),
  output: Type.Object({
    output: FileOutput([...new Set([...Object.values(MARKUP_FORMATS).map(({ mime }) => mime), ZIP])]),
    from: Type.String(),
    to: Type.String(),
    lossy: Type.Boolean({ description: 'Content, markup, styles or layout are not fully retained.' }),
  }),
  errors: [
    'DOC_PARSE_FAILED',
    'DOC_ENCRYPTED',
    'ENCODING_INVALID',
    'CONVERSION_UNSUPPORTED',
    'UNSUPPORTED_FORMAT',
    'CONFLICTING_OPTIONS',
    'MISSING_FIELD',
    'INPUT_EMPTY',
    'INPUT_TOO_LARGE',
    'OUTPUT_TOO_LARGE',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
    'SANDBOX_UNAVAILABLE',
  ],
  examples: [
    {
      title: 'Markdown to HTML',
      input: { text: '# Tide\n\nLow at *six*.', from: 'markdown', to: 'html', options: { standalone: false } },
      answer: { from: 'markdown', to: 'html', lossy: false },
    },
    {
      title: 'A Word document to Markdown',
      input: { file: 'sample:log-book.docx', to: 'markdown' },
      answer: { from: 'docx', to: 'markdown', lossy: true },
    },
  ],

  async run(input, { pandoc }) {
    const from = await findSource(input)
    const to = requireTarget(from, input.to)
    const { settings, resources } = await buildSettings(input.options, to, from)
    const { extension, mime } = MARKUP_FORMATS[to]
    const document = input.file ? { path: input.file.path } : { text: input.text! }
    const paths = resources.map(({ path }) => path)
    const { path, isZip, warnings } = await pandoc.convert(document, paths, {
      ...{ from, to, settings, media: input.options.media },
      resources: resources.map(({ name }) => name),
      name: `document.${extension}`,
    })
    const output = { path, contentType: isZip ? ZIP : mime, name: `document.${isZip ? 'zip' : extension}` }
    return { result: { output, from, to, lossy: isLossy(from, to, warnings) }, warnings }
  },
})

async function findSource(input: DocumentInput & { from?: string }): Promise<SourceFormat> {
  if (exactlyOne(input, ['file', 'text']) === 'file') return detectFormat(input.file!, input.from)
  const sizeBytes = Buffer.byteLength(input.text!)
  if (input.text!.trim() === '') throw new Problem('INPUT_EMPTY', { field: 'text' })
  if (sizeBytes > MAX_TEXT_BYTES) throw new Problem('INPUT_TOO_LARGE', { ceiling: MAX_TEXT_BYTES, sizeBytes })
  if (input.from !== undefined) return requireSourceFormat(input.from)
  throw new Problem('MISSING_FIELD', { field: 'from', allowed: Object.keys(CONVERSIONS) })
}

function requireTarget(from: SourceFormat, to: string): MarkupFormat {
  const targets: readonly string[] = CONVERSIONS[from]
  if (targets.includes(to)) return to as MarkupFormat
  if (to === 'pdf') throw new Problem('CONVERSION_UNSUPPORTED', { from, to, targets, steps: PDF_STEPS })
  if (!Object.hasOwn(MARKUP_FORMATS, to))
    throw new Problem('UNSUPPORTED_FORMAT', { field: 'to', detected: to, supported: targets })
  throw new Problem('CONVERSION_UNSUPPORTED', { from, to, targets })
}
