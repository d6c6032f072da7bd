import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { presentTable } from '../engines/page-tables/present.ts'
import { buildBlocks } from '../formats/document/blocks.ts'
import type { PageLine } from '../formats/document/page.ts'
import { renderHtml, renderMarkdown, renderText } from '../formats/document/render.ts'
import { readLayout } from './ocr-layout/read.ts'
import {
  BlockFields,
  Box,
  Confidence,
  choosePage,
  describeBlocks,
  describeTable,
  Engine,
  HOSTED_ERRORS,
  NO_TEXT_FOUND,
  PAGE_ERRORS,
  pageFields,
  TableFields,
  toBox,
} from './schema.ts'

const Word = Type.Object({ text: Type.String(), confidence: Confidence, box: Box })
const AS_FOUND = { header: 'auto', merge: 'span', numbers: 'keep' } as const
const Line = Type.Object({ ...Word.properties, words: Type.Optional(Type.Array(Word)) })

export default define({
  summary: 'Read a page with its structure.',
  keywords: 'document layout, ocr with structure, headings paragraphs lists, scan to text, reading order, scanned page',
  description:
    'Titles, headings, paragraphs, lists and captions in reading order, with running headers, footers and page numbers ' +
    'told apart. The text layer is used where there is one, else Tesseract reads the image, also if it lies on its side.',
  price: perCall('0.008'),
  uses: ['hostedTables', 'hostedText', 'pageRenderer', 'poppler', 'qpdf', 'sharp', 'tesseract'],
  input: Type.Object({
    ...pageFields,
    output: Choice(['json', 'markdown', 'html', 'text'], {
      default: 'json',
      description: 'What to return besides the plain text: the blocks, or the page as Markdown or HTML.',
    }),
    include: Type.Array(Choice(['words', 'lines', 'tables']), {
      default: [],
      maxItems: 3,
      description: 'Details of the blocks, with their boxes; or the tables of the page, cell by cell.',
    }),
  }),
  output: Type.Object({
    text: Type.String(),
    markdown: Type.Optional(Type.String()),
    html: Type.Optional(Type.String()),
    width: Type.Number({ description: 'In points of a PDF, in pixels of an image.' }),
    height: Type.Number(),
    rotation: Type.Integer({ description: 'Degrees the page was rotated clockwise to read it.' }),
    source: Choice(['text-layer', 'ocr']),
    engine: Engine,
    languages: Type.Array(Type.String()),
    blocks: Type.Optional(
      Type.Array(
        Type.Object({
          ...BlockFields,
          lines: Type.Optional(Type.Array(Line)),
        }),
      ),
    ),
    tables: Type.Optional(Type.Array(Type.Object(TableFields))),
  }),
  errors: [...PAGE_ERRORS, ...HOSTED_ERRORS],
  examples: [
    { title: 'The blocks of a page', input: { file: 'sample:letter.pdf', page: 1 }, answer: { source: 'text-layer' } },
    {
      title: 'A photo as Markdown',
      input: { file: 'sample:sign.png', output: 'markdown' },
      answer: { source: 'ocr', text: 'MIND THE GAP' },
    },
  ],

  async run(input, tools) {
    const { file, languages, password, minConfidence, output, include } = input
    const number = choosePage(file, input.page)
    const findsRulings = include.includes('tables')
    const {
      page,
      tables: found,
      engine,
      warnings,
    } = await readLayout({ file, page: number, languages, password, minConfidence, findsRulings }, tools)
    const blocks = buildBlocks(page)
    const describeLine = ({ text, confidence, box, words }: PageLine) => ({
      ...{ text, confidence, box: toBox(box, page) },
      ...(include.includes('words') && { words: words.map(word => ({ ...word, box: toBox(word.box, page) })) }),
    })
    const details = describeBlocks(blocks, page, number).map((block, index) => ({
      ...block,
      ...(include.some(detail => detail !== 'tables') && { lines: blocks[index]!.lines.map(describeLine) }),
    }))
    const { width, height, rotation, source } = page
    const shown = {
      ...(output === 'json' && { blocks: details }),
      ...(output === 'markdown' && { markdown: renderMarkdown(blocks) }),
      ...(output === 'html' && { html: renderHtml(blocks) }),
    }
    const tables = found?.map(table => describeTable(presentTable(table, AS_FOUND), page))
    const result = {
      text: renderText(blocks),
      ...shown,
      ...(tables && { tables }),
      width,
      height,
      rotation,
      source,
      languages: page.languages,
      engine,
    }
    return { result, warnings: blocks.length === 0 ? [...warnings, NO_TEXT_FOUND] : warnings }
  },
})
