import { Type } from 'typebox'
import { define, FileOutput, type InputFile, perPage, type Warning } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import {
  allowBreakSignatures,
  collectInputWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  rejectIfSigned,
  SIGNATURES_REMOVED,
} from './schema.ts'
import {
  buildConvertOptions,
  buildHiddenWarning,
  checkStamped,
  listPagesOfStamp,
  listStampedPages,
  listStamps,
  planStamp,
  Stamps,
  stampFields,
} from './watermark/stamps.ts'

/** Pages checked for a stamp that is hidden below the content. */
const MAX_CHECKED_PAGES = 200

export default define({
  summary: 'Stamp text, `{page} / {pages}` as numbers, an image or a PDF page on the pages of a PDF.',
  keywords:
    'page numbers, stamp, paid, approved, diagonal text, number the pages, numbering, bates, draft, confidential, header, footer, logo, overlay, page 3 of 6, number at the bottom of every page',
  description:
    'Also for page numbers and Bates numbers. By default text is grey, see-through (opacity 0.3), half as wide as the page, ' +
    'and in its middle turned by 45 degrees; at an edge it is as large as usual text. Give opacity 1 for page numbers. Stamps are upright on the page as displayed, whatever its rotation, and ' +
    'the existing content is not changed. Text in any modern script is set with embedded Noto fonts.',
  price: perPage('0.001', (input: { file: InputFile }) => listStampedPages(input).length, 'stamped page'),
  uses: ['qpdf', 'libpdf', 'pageSnapshots', 'sharp'],
  input: Type.Object({
    file: PdfInput(),
    ...stampFields,
    stamps: Stamps,
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    stampedPages: Type.Integer({ minimum: 1 }),
    stamps: Type.Array(Type.Object({ rotation: Type.Number(), opacity: Type.Number() }), {
      description: 'The angle in degrees counterclockwise and the opacity of each stamp, defaults included.',
    }),
  }),
  errors: [
    ...PDF_ERRORS,
    'BAD_RANGE',
    'CONFLICTING_OPTIONS',
    'FONT_UNAVAILABLE',
    'IMAGE_DECODE_FAILED',
    'INVALID_PARAM',
    'MISSING_FIELD',
    'PDF_SIGNED',
    'PROVIDER_NOT_CONFIGURED',
    'TOO_MANY_PIXELS',
  ],
  examples: [
    {
      title: 'A word across every page',
      input: { file: 'sample:letter.pdf', text: 'DRAFT' },
      answer: { stampedPages: 2, stamps: [{ rotation: 45, opacity: 0.3 }] },
    },
    {
      title: 'Page numbers and a logo',
      input: {
        file: 'sample:letter.pdf',
        stamps: [
          { text: '{page} / {pages}', position: 'south', rotation: 0, fontSize: 10, opacity: 1, color: 'black' },
          { image: 'sample:gradient.png', position: 'northeast', scale: 0.1, opacity: 0.8, pages: '1' },
        ],
      },
      answer: { stampedPages: 2 },
    },
  ],

  async run(input, { qpdf, libpdf, pageSnapshots, sharp, out, now }) {
    const { file } = input
    rejectIfSigned(file, input.allowBreakSignatures)
    const assets: { path?: string; bytes?: Uint8Array; warnings?: Warning[] }[] = []
    const stamps: ReturnType<typeof planStamp>[] = []
    for (const stamp of listStamps(input)) {
      if (stamp.pdf)
        assets.push({ path: await openPdf(stamp.pdf, { qpdf, password: undefined, to: out('stamp.pdf') }) })
      if (stamp.image) assets.push(await sharp.convert(stamp.image.path, buildConvertOptions(stamp.image)))
      stamps.push(planStamp(stamp, listPagesOfStamp(file, stamp), stamp.text ? undefined : assets.length))
    }
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const date = now().toISOString().slice(0, 10)
    const drawn = await libpdf.stamp(unsigned, assets, { stamps, date, to: out('stamped.pdf') })
    const stamped = checkStamped(stamps, drawn.missed)
    const outputPath = await qpdf.rewrite(drawn.path, { to: out('watermarked.pdf') })
    const pagesStampedUnder = stamps.filter(({ isUnder }) => isUnder).flatMap(({ pages }) => pages)
    const checkedPages = [...new Set(pagesStampedUnder)].slice(0, MAX_CHECKED_PAGES)
    const hiddenPages =
      checkedPages.length > 0 ? await pageSnapshots.findIdentical(unsigned, outputPath, checkedPages) : []
    const warnings = [
      ...collectInputWarnings([file]),
      ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
      ...assets.flatMap(({ warnings = [] }) => warnings),
      ...stamped.warnings,
      ...hiddenPages.map(buildHiddenWarning),
    ]
    const output = { path: outputPath, contentType: PDF, name: 'watermarked.pdf' }
    const used = stamps.map(({ rotation, opacity }) => ({ rotation, opacity }))
    const { stampedPages } = stamped
    return { result: { output, stampedPages, stamps: used }, units: stampedPages, warnings }
  },
})
