import { Type } from 'typebox'
import { define, FileOutput, type InputFile, PageRanges, Problem, perPage } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import * as redaction from './redact/regions.ts'
import {
  allowBreakSignatures,
  COLOR_PATTERN,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  rejectIfSigned,
  selectPages,
} from './schema.ts'

const Phrases = (maxItems: number) => Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems })

export default define({
  summary: 'Permanently remove text and regions from a PDF.',
  keywords: 'black out account numbers, redact emails, hide names and social security numbers in a pdf, sensitive data',
  description:
    'Text, drawings, notes, field values, bookmarks and properties with the content to redact are removed from the ' +
    'file, not covered. A page where this is not certain, such as a scan, becomes an image with the rest of its text ' +
    'searchable. Before the answer is returned, another program reads the result and must not find the content.',
  price: perPage('0.003', ({ file }: { file: InputFile }) => pageCountOf(file)),
  uses: ['qpdf', 'libpdf', 'pageSnapshots', 'poppler'],
  input: Type.Object({
    file: PdfInput(),
    texts: Type.Optional(Phrases(100)),
    patterns: Type.Optional(Phrases(20)),
    regions: Type.Optional(redaction.Regions),
    pages: PageRanges({ default: 'all', description: 'Pages to search for texts and patterns.' }),
    caseSensitive: Type.Boolean({ default: false }),
    wholeWords: Type.Boolean({ default: false, description: 'For texts.' }),
    color: Type.String({ default: '#000000', pattern: COLOR_PATTERN, description: 'Colour of the boxes.' }),
    removeMetadata: Type.Boolean({ default: false, description: 'Remove title, author and all other properties.' }),
    removeAttachments: Type.Boolean({ default: false }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    redactions: Type.Integer({ minimum: 0, description: 'Redacted areas; one for each line of a match.' }),
    pages: Type.Array(Type.Integer({ minimum: 1 }), { description: 'Pages with at least one redacted area.' }),
    pictures: Type.Array(Type.Integer({ minimum: 1 }), { description: 'Pages that became images.' }),
    wiped: Type.Integer({ minimum: 0, description: 'Number of emptied notes, values, bookmarks and properties.' }),
    verified: Type.Literal(true),
  }),
  errors: [...PDF_ERRORS, ...redaction.REDACTION_ERRORS],
  examples: [
    {
      title: 'A word and all email addresses',
      input: { file: 'sample:letter.pdf', texts: ['the'], patterns: ['[\\w.]+@[\\w.]+'], wholeWords: true },
      answer: { verified: true },
    },
    {
      title: 'A corner of the first page',
      input: { file: 'sample:letter.pdf', regions: [{ page: 1, left: 0, top: 0, right: 300, bottom: 120 }] },
      answer: { redactions: 1, pages: [1], verified: true },
    },
  ],

  async run(input, { qpdf, libpdf, pageSnapshots, poppler, out }) {
    const { file, texts = [], patterns = [], caseSensitive, wholeWords } = input
    const requestedRegions = redaction.resolveRegions(input)
    rejectIfSigned(file, input.allowBreakSignatures)
    const searchedPages = selectPages(file, input.pages)
    const readable = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = isSigned(file) ? await libpdf.dropSignatures(readable, { to: out('unsigned.pdf') }) : readable
    // Rewritten so that every reader interprets the file in the same way.
    const path = await qpdf.rewrite(unsigned, { to: out('written.pdf') })
    const hasLayers = file.facts.marks?.includes('layers')
    const allPages = { first: 1, last: pageCountOf(file) }
    const readText = async (from: string, name: string) => {
      const visible = hasLayers ? await libpdf.showAllLayers(from, { to: out(`${name}-shown.pdf`) }) : from
      return poppler.readTextBoxes(visible, allPages)
    }
    const before = await readText(path, 'given')
    const terms = { texts, patterns, caseSensitive, wholeWords }
    const search = (text: typeof before, coversWords: boolean) =>
      libpdf.findMatches(redaction.pairWithText(searchedPages, text), { ...terms, coversWords })
    const regions = [...requestedRegions, ...(await search(before, false))]
    const coveredTexts = redaction.collectCoveredTexts(before, regions)
    const { color, removeMetadata, removeAttachments } = input
    const plan = { regions, terms, coveredTexts, color, removeMetadata, removeAttachments }
    const redactAndVerify = async (rasterPages: number[], name: string) => {
      const redacted = await libpdf.redact(path, { ...plan, rasterPages, to: out(`${name}-cut.pdf`) })
      const { uncertainPages: rasterized, cleared } = redacted
      const dpi = redaction.chooseDpi(rasterized.map(page => before[page - 1]!))
      const snapshots =
        rasterized.length > 0 ? await pageSnapshots.render(redacted.path, rasterized, { dpi, stem: name }) : new Map()
      const images = rasterized.map(page => snapshots.get(page)!)
      const searchable = redaction.collectSearchableText(before, rasterized, [...regions, ...cleared])
      const options = { pages: searchable, to: out(`${name}-drawn.pdf`) }
      const flat = images.length > 0 ? await libpdf.replaceWithImages(redacted.path, images, options) : redacted.path
      const everyPage = Array.from({ length: allPages.last }, (_, index) => index + 1)
      const arranged = await qpdf.arrange(flat, [{ path: flat, pages: everyPage }], { to: out(`${name}.pdf`) })
      const after = await readText(arranged, name)
      const matches = await search(after, true)
      const failedPages = redaction.findFailedPages(before, after, { regions, cleared, rasterized, matches })
      // Text that stood against what was removed can be a word of its own now.
      regions.push(...matches)
      return { ...redacted, path: arranged, failedPages }
    }
    let result = await redactAndVerify([], 'redacted')
    const pagesToRasterize = [...result.uncertainPages, ...result.failedPages]
    if (result.failedPages.length > 0) result = await redactAndVerify(pagesToRasterize, 'redrawn')
    if (result.failedPages.length > 0) throw new Problem('REDACTION_UNVERIFIED', { pages: result.failedPages })
    const { path: redactedPath, uncertainPages: rasterizedPages, wiped } = result
    const pagesWithoutText = searchedPages.filter(page => before[page - 1]!.lines.length === 0)
    const hasRedactions = regions.length + wiped > 0
    if (!hasRedactions) redaction.rejectPatternNames(patterns)
    const warnings = redaction.collectRedactionWarnings(input, { hasRedactions, rasterizedPages, pagesWithoutText })
    const output = { path: redactedPath, contentType: PDF, name: 'redacted.pdf' }
    const counts = { redactions: regions.length, pages: redaction.listPages(regions), pictures: rasterizedPages, wiped }
    return { result: { output, ...counts, verified: true as const }, warnings }
  },
})
