import { Type } from 'typebox'
import { define, FileOutput, type InputFile, perPage, type Warning } from '#kit'
import { opened } from './open-shape.ts'
import {
  allowBreakSignatures,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  refuseSigned,
  SIGNATURES_REMOVED,
  warningsOf,
} from './shape.ts'
import { pagesToStamp, plannedStamp, Stamps, stampedPages, stampFields, stampsOf } from './stamp-shape.ts'

const { text, image, pdf, ...looks } = stampFields
/** Nobody looks at more pages than these for a stamp that cannot be seen. */
const MOST_LOOKED_AT = 200

export default define({
  summary: 'Stamp text, a picture or a PDF page on the pages of a PDF.',
  description:
    'Also for page numbers and Bates numbers. Stamps stand upright on the page as it is seen, whatever its turn, and ' +
    'what the page holds is not touched. Text of all living scripts is set with embedded Noto fonts.',
  price: perPage('0.001', (input: { file: InputFile }) => stampedPages(input).length),
  uses: ['qpdf', 'libpdf', 'pdfMaker', 'pageShots', 'sharp'],
  input: Type.Object({
    file: PdfInput(),
    ...{ text, image, pdf },
    ...looks,
    stamps: Stamps,
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({ output: FileOutput(PDF), stampedPages: Type.Integer({ minimum: 1 }) }),
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
      answer: { stampedPages: 2 },
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

  async run(input, { qpdf, libpdf, pdfMaker, pageShots, sharp, out, now }) {
    const { file } = input
    refuseSigned(file, input.allowBreakSignatures)
    const assets: { path?: string; bytes?: Uint8Array }[] = []
    const stamps: ReturnType<typeof plannedStamp>[] = []
    for (const given of stampsOf(input)) {
      if (given.pdf) assets.push({ path: await opened(given.pdf, { qpdf, password: undefined, to: out('stamp.pdf') }) })
      if (given.image) assets.push(await sharp.convert(given.image.path, drawnAs(given.image)))
      stamps.push(plannedStamp(given, pagesToStamp(file, given), given.text ? undefined : assets.length))
    }
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const date = now().toISOString().slice(0, 10)
    const stamped = await pdfMaker.stamp(unsigned, assets, { stamps, date, to: out('stamped.pdf') })
    const whole = await qpdf.tidy(stamped, { to: out('watermarked.pdf') })
    const covered = stamps.filter(({ isUnder }) => isUnder).flatMap(({ pages }) => pages)
    const looked = [...new Set(covered)].slice(0, MOST_LOOKED_AT)
    const hidden = looked.length > 0 ? await pageShots.alike(unsigned, whole, looked) : []
    const pages = stampedPages(input).length
    const warnings = [
      ...warningsOf([file]),
      ...(isSigned(file) ? [SIGNATURES_REMOVED] : []),
      ...hidden.map(hiddenByContent),
    ]
    const output = { path: whole, contentType: PDF, name: 'watermarked.pdf' }
    return { result: { output, stampedPages: pages }, units: pages, warnings }
  },
})

/** Photographs stay photographs, everything else keeps what shines through; drawings get enough points. */
function drawnAs({ type }: InputFile) {
  const to = type === 'image/jpeg' ? ('jpeg' as const) : ('png' as const)
  const width = type === 'image/svg+xml' ? { width: 2000 } : {}
  const plain = { lossless: false, background: '#ffffff', animation: 'first', metadata: 'strip', icc: 'srgb' } as const
  return {
    to,
    format: to,
    quality: to === 'jpeg' ? 92 : undefined,
    ...plain,
    tolerant: false,
    density: 96,
    sizes: [],
    ...width,
  }
}

function hiddenByContent(page: number): Warning {
  const message = 'What lies under the content of this page cannot be seen; stamp it over.'
  return { code: 'HIDDEN_BY_CONTENT', message, page }
}
