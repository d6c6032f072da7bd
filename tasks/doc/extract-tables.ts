import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, perCall } from '#kit'
import { presentTable } from '../engines/page-tables/present.ts'
import { renderCsv, renderHtmlTable, renderMarkdownTable } from '../engines/page-tables/render.ts'
import { writeTableWorkbook } from '../engines/page-tables/workbook.ts'
import { readTables } from './extract-tables/read.ts'
import {
  Confidence,
  choosePage,
  describeTable,
  Engine,
  HOSTED_ERRORS,
  NO_TEXT_FOUND,
  PAGE_ERRORS,
  pageFields,
  TableFields,
} from './schema.ts'

const CSV = 'text/csv'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export default define({
  summary: 'Extract the tables of a page.',
  keywords: 'table extraction, pdf table to csv, pdf to excel, scanned table, rows and columns, camelot, tabula',
  converts: [{ from: 'pdf image table', to: 'csv xlsx json' }],
  description:
    'Tables with lines are read by their lines, with cells over several rows or columns; tables without lines by the ' +
    'gaps between their columns. The text layer is used where there is one, else Tesseract reads the image. A page ' +
    'without tables gives an empty list.',
  price: perCall('0.02'),
  uses: ['hostedTables', 'pageRenderer', 'poppler', 'qpdf', 'sharp', 'tesseract'],
  input: Type.Object({
    ...pageFields,
    mode: Choice(['auto', 'lattice', 'stream', 'ocr'], {
      default: 'auto',
      description:
        'lattice: only tables with lines. stream: by gaps alone. ocr: read the page as an image. They are of the local ' +
        'engine; a provider serves auto alone.',
    }),
    format: Choice(['json', 'csv', 'xlsx', 'html', 'markdown'], {
      default: 'json',
      description: 'The cells as JSON, a CSV file for each table, a workbook with a sheet for each, or as text.',
    }),
    header: Choice(['auto', 'first-row', 'none'], { default: 'auto', description: 'Which rows are headings.' }),
    merge: Choice(['repeat', 'blank', 'span'], {
      default: 'span',
      description:
        'A cell over several places: repeat its text in each, leave all but the first blank, or keep it as one. CSV ' +
        'and Markdown have no such cells; there, span is blank.',
    }),
    numbers: Choice(['keep', 'parse'], {
      default: 'keep',
      description: 'parse: (1.234,50 €) becomes -1234.5, with the decimal mark that the table uses.',
    }),
  }),
  output: Type.Object({
    tables: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        page: Type.Integer({ minimum: 1 }),
        ...TableFields,
        confidence: Confidence,
        html: Type.Optional(Type.String()),
        markdown: Type.Optional(Type.String()),
      }),
    ),
    source: Choice(['text-layer', 'ocr', 'model']),
    engine: Engine,
    files: Type.Optional(FileManifest(CSV)),
    output: Type.Optional(FileOutput(XLSX)),
  }),
  errors: [...PAGE_ERRORS, ...HOSTED_ERRORS],
  examples: [
    {
      title: 'The tables of a price list',
      input: { file: 'sample:price-list.pdf' },
      answer: { source: 'text-layer' },
    },
    { title: 'As a workbook with numbers', input: { file: 'sample:price-list.pdf', format: 'xlsx', numbers: 'parse' } },
  ],

  async run(input, tools) {
    const { file, languages, password, minConfidence, mode, format } = input
    const number = choosePage(file, input.page)
    const { page, found, source, engine, warnings } = await readTables(
      { file, page: number, languages, password, minConfidence, mode },
      tools,
    )
    const tables = found.map(table => presentTable(table, input))
    const described = tables.map((table, index) => {
      const { cells, ...facts } = describeTable(table, page)
      const texts = table.cells.filter(({ text }) => text !== '')
      const mean = texts.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, texts.length)
      return {
        ...{ index, page: number, ...facts, confidence: Math.round(mean * 1000) / 1000 },
        ...(format === 'json' && { cells }),
        ...(format === 'html' && { html: renderHtmlTable(table) }),
        ...(format === 'markdown' && { markdown: renderMarkdownTable(table) }),
      }
    })
    const files = tables.map((table, index) => ({
      ...{ index, name: `table-${index + 1}.csv`, contentType: CSV, bytes: Buffer.from(renderCsv(table)) },
    }))
    const workbook = format === 'xlsx' && {
      bytes: await writeTableWorkbook(tables),
      contentType: XLSX,
      name: 'tables.xlsx',
    }
    const result = {
      ...{ tables: described, source, engine },
      ...(format === 'csv' && { files }),
      ...(workbook && { output: workbook }),
    }
    return { result, warnings: page.lines.length === 0 ? [...warnings, NO_TEXT_FOUND] : warnings }
  },
})
