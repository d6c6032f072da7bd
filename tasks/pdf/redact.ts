import { Type } from 'typebox'
import { define, FileOutput, type InputFile, PageRanges, Problem, pagesOf, perPage } from '#kit'
import { opened } from './open-shape.ts'
import * as shape from './redact-shape.ts'
import {
  allowBreakSignatures,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  refuseSigned,
} from './shape.ts'
import { COLOR_PATTERN } from './stamp-shape.ts'

const phrases = (most: number) => Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: most })

export default define({
  summary: 'Remove text and regions from a PDF for good.',
  description:
    'Letters, drawings, notes, field values, bookmarks and properties that tell what is to go are taken out of the ' +
    'file, not covered. A page of which that cannot be done with certainty, such as a scan, becomes a picture with the ' +
    'rest of its text searchable. Before the answer is given another program reads the result and must find nothing.',
  price: perPage('0.003', ({ file }: { file: InputFile }) => pageCountOf(file)),
  uses: ['qpdf', 'libpdf', 'pdfMaker', 'pageShots', 'poppler'],
  input: Type.Object({
    file: PdfInput(),
    texts: Type.Optional(phrases(100)),
    patterns: Type.Optional(phrases(20)),
    regions: Type.Optional(shape.Regions),
    pages: PageRanges({ default: 'all', description: 'Where texts and patterns are looked for.' }),
    caseSensitive: Type.Boolean({ default: false }),
    wholeWords: Type.Boolean({ default: false, description: 'Of texts.' }),
    color: Type.String({ default: '#000000', pattern: COLOR_PATTERN, description: 'Of the boxes.' }),
    removeMetadata: Type.Boolean({ default: false, description: 'Title, author and all other properties.' }),
    removeAttachments: Type.Boolean({ default: false }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    redactions: Type.Integer({ minimum: 0, description: 'Places on pages.' }),
    pages: Type.Array(Type.Integer({ minimum: 1 }), { description: 'With at least one place.' }),
    pictures: Type.Array(Type.Integer({ minimum: 1 }), { description: 'Pages that became pictures.' }),
    wiped: Type.Integer({ minimum: 0, description: 'Notes, values, bookmarks and properties that were emptied.' }),
    verified: Type.Literal(true),
  }),
  errors: [...PDF_ERRORS, ...shape.REDACTION_ERRORS],
  examples: [
    {
      title: 'A name and all mail addresses',
      input: { file: 'sample:letter.pdf', texts: ['the'], patterns: ['[\\w.]+@[\\w.]+'], wholeWords: true },
      answer: { verified: true },
    },
    {
      title: 'A corner of the first page',
      input: { file: 'sample:letter.pdf', regions: [{ page: 1, left: 0, top: 0, right: 300, bottom: 120 }] },
      answer: { redactions: 1, pages: [1], verified: true },
    },
  ],

  async run(input, { qpdf, libpdf, pdfMaker, pageShots, poppler, out }) {
    const { file, texts = [], patterns = [], caseSensitive, wholeWords } = input
    const regions = shape.regionsOf(input)
    refuseSigned(file, input.allowBreakSignatures)
    const searched = [...new Set(pagesOf(input.pages, pageCountOf(file)))]
    const clear = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(clear, { to: out('unsigned.pdf') }) : clear
    // Written anew, so that all readers read the same in it.
    const path = await qpdf.tidy(unsigned, { to: out('written.pdf') })
    const hasLayers = file.facts.marks?.includes('layers')
    const whole = { first: 1, last: pageCountOf(file) }
    const everyPage = Array.from({ length: whole.last }, (_, index) => index + 1)
    const read = async (from: string, name: string) =>
      poppler.boxes(hasLayers ? await pdfMaker.withLayersShown(from, { to: out(`${name}-shown.pdf`) }) : from, whole)
    const before = await read(path, 'given')
    const needles = { texts, patterns, caseSensitive, wholeWords }
    const search = (laid: typeof before) =>
      pdfMaker.places(
        searched.map(page => ({ page, laid: laid[page - 1]! })),
        needles,
      )
    const places = [...regions, ...(await search(before))]
    const pages = [...new Set(places.map(({ page }) => page))].sort((a, b) => a - b)
    const covered = pages.flatMap(page => shape.textsInside(before[page - 1]!, page, places))
    const { color, removeMetadata, removeAttachments } = input
    const plan = { places, needles, covered, color, removeMetadata, removeAttachments }
    const attempt = async (asPictures: number[], name: string) => {
      const made = await pdfMaker.redact(path, { ...plan, asPictures, to: out(`${name}-cut.pdf`) })
      shape.checkPictures(made.unsure)
      const dpi = shape.dpiFor(made.unsure.map(page => before[page - 1]!))
      const shots =
        made.unsure.length > 0 ? await pageShots.draw(made.path, made.unsure, { dpi, stem: name }) : new Map()
      const kept = made.unsure.map(page => ({
        page,
        words: shape.wordsOutside(before[page - 1]!, page, [...places, ...made.cleared]),
      }))
      const files = made.unsure.map(page => shots.get(page)!)
      const drawn = { pages: kept, to: out(`${name}-drawn.pdf`) }
      const flat = files.length > 0 ? await pdfMaker.withPictures(made.path, files, drawn) : made.path
      const tidy = await qpdf.arrange(flat, [{ path: flat, pages: everyPage }], { to: out(`${name}.pdf`) })
      const after = await read(tidy, name)
      const found = new Set((await search(after)).map(({ page }) => page))
      const isBad = (page: number) =>
        found.has(page) || !shape.isClean(before[page - 1]!, after[page - 1]!, page, { places, cleared: made.cleared })
      return { ...made, path: tidy, bad: [...new Set([...pages, ...found])].filter(isBad) }
    }

    let made = await attempt([], 'redacted')
    if (made.bad.length > 0) made = await attempt([...made.unsure, ...made.bad], 'redrawn')
    if (made.bad.length > 0) throw new Problem('REDACTION_UNVERIFIED', { pages: made.bad })
    const blind = searched.filter(page => before[page - 1]!.lines.length === 0)
    const found = places.length + made.wiped
    const warnings = shape.redactionWarnings(input, { found, pictures: made.unsure, blind })
    const output = { path: made.path, contentType: PDF, name: 'redacted.pdf' }
    const told = { redactions: places.length, pages, pictures: made.unsure, wiped: made.wiped }
    return { result: { output, ...told, verified: true as const }, warnings }
  },
})
