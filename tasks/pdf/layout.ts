import { Type } from 'typebox'
import { define, FileOutput, perPage } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import type { Tools } from '../kit/operation.ts'
import { planCrops, planSizes } from './layout/areas.ts'
import { LayoutInput } from './layout/schema.ts'
import { planBooklet, planSheets } from './layout/sheets.ts'
import {
  collectRewriteWarnings,
  PDF,
  PDF_ERRORS,
  pageCountOf,
  rejectIfSigned,
  removeSignatures,
  selectPages,
} from './schema.ts'

export default define({
  summary: 'Put several PDF pages on a sheet, make a booklet, resize or crop pages.',
  keywords:
    'n-up, 2-up, two pages per sheet, 4 on one page, imposition, booklet, fold, scale to a4, letter to a4, paper size, ' +
    'fit to page, crop margins, trim, cropbox, handout, contact sheet of a document',
  description:
    'Sheets show form values and comments as drawn; links, bookmarks and tags are not kept on them. Print a booklet ' +
    'double-sided, flipped on the short edge, and fold it. `resize` keeps links, form fields and bookmarks. `crop` hides ' +
    'what it cuts but does not remove it; use pdf.redact for secrets.',
  price: perPage('0.001', (input: LayoutInput) => selectPages(input.file, input.pages).length, 'page'),
  uses: ['qpdf', 'libpdf'],
  input: LayoutInput,
  output: Type.Object({
    output: FileOutput(PDF),
    pages: Type.Integer({ minimum: 1, description: 'Pages or sides of sheets of the output.' }),
  }),
  errors: [...PDF_ERRORS, 'BAD_RANGE', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'MISSING_FIELD', 'PDF_SIGNED'],
  examples: [
    {
      title: 'Two pages on a sheet',
      input: { action: 'n-up', file: 'sample:two-pages.pdf', perSheet: 2, border: true },
      answer: { pages: 1 },
    },
    {
      title: 'A booklet to print and fold',
      input: { action: 'booklet', file: 'sample:bookmarked.pdf' },
    },
    {
      title: 'Scale to A4',
      input: { action: 'resize', file: 'sample:letter.pdf', pageSize: 'A4', margin: 20 },
      answer: { pages: 2 },
    },
    {
      title: 'Cut an inch from the top of the first page',
      input: { action: 'crop', file: 'sample:letter.pdf', pages: '1', cut: { top: 72 } },
      answer: { pages: 2 },
    },
  ],

  async run(input, { qpdf, libpdf, out }) {
    const { file } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const pages = selectPages(file, input.pages)
    const opened = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = await removeSignatures(file, opened, { libpdf, to: out('unsigned.pdf') })
    const made = await arrange(input, pages, unsigned, { qpdf, libpdf, out })
    const output = { path: made.path, contentType: PDF, name: `${input.action}.pdf` }
    return { result: { output, pages: made.pages }, units: pages.length, warnings: collectRewriteWarnings(file) }
  },
})

type LayoutTools = Pick<Tools, 'qpdf' | 'libpdf'> & { out(name: string): string }

async function arrange(
  input: LayoutInput,
  pages: readonly number[],
  path: string,
  { qpdf, libpdf, out }: LayoutTools,
): Promise<{ path: string; pages: number }> {
  const boxes = await libpdf.readPageBoxes(path)
  const pageCount = pageCountOf(input.file)
  if (input.action === 'crop')
    return {
      path: await libpdf.cropPages(path, { ...planCrops(pages, boxes, input), to: out('crop.pdf') }),
      pages: pageCount,
    }
  if (input.action === 'resize')
    return {
      path: await libpdf.resizePages(path, { ...planSizes(pages, boxes, input), to: out('sized.pdf') }),
      pages: pageCount,
    }
  const plan = input.action === 'n-up' ? planSheets(pages, boxes, input) : planBooklet(pages, input)
  const flat = await qpdf.flatten(path, { to: out('flat.pdf') })
  const sheets = await libpdf.arrangeSheets(flat, { ...plan, to: out('sheets.pdf') })
  return { path: await qpdf.rewrite(sheets, { to: out('laid-out.pdf') }), pages: plan.sheets.length }
}
