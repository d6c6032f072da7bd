import { Type } from 'typebox'
import { Choice, define, PageRanges, Problem } from '#kit'
import { findEmbeddedInvoice } from '../formats/invoice/embedded-xml.ts'
import { TIERS } from '../formats/language/tiers.ts'
import { assemble } from './analyze-async/assemble.ts'
import { ChunkSettings } from './analyze-async/chunks.ts'
import { collectPages } from './analyze-async/document.ts'
import { analyzePage } from './analyze-async/features.ts'
import { packAnalysis } from './analyze-async/images.ts'
import { openOnce } from './analyze-async/open.ts'
import { analyzePages, PAGE_SECONDS } from './analyze-async/pages.ts'
import { countCredits, DEFAULT_TIER, FEATURES, PRICE, planAnalysis } from './analyze-async/price.ts'
import { ANALYSIS, JSON_TYPE, ZIP_TYPE } from './analyze-async/result.ts'
import { DocumentInput, PAGE_ERRORS, pageFields } from './schema.ts'

/** A longer result is a file. */
const MAX_INLINE_CHARACTERS = 2 ** 20
const LIMIT_SECONDS = 3600

export default define({
  summary: 'Analyse a document of many pages.',
  keywords:
    'document ai, long pdf, batch ocr, whole document, all pages, textract, background job, document analysis, chunking, ' +
    'chunks for rag, semantic chunks, invoice of several pages, questions about a document',
  description:
    'Answers with a ticket. Pages are saved one by one; one that cannot be read is reported and free. A result over a ' +
    'megabyte is a file in `output`. Pages of one invoice are joined; a language model is asked page by page.',
  price: PRICE,
  uses: [
    ...(['barcodeReader', 'invoiceReader', 'languageModel', 'libpdf', 'pageRenderer', 'poppler'] as const),
    ...(['qpdf', 'savedParts', 'sharp', 'tesseract', 'timeLimit', 'tokenizer', 'zip'] as const),
  ],
  optional: ['languageModel'],
  needs: ({ features }) => (features.includes('questions') ? ['languageModel'] : []),
  wait: 'ticket',
  limitSeconds: LIMIT_SECONDS,
  input: Type.Object({
    file: DocumentInput('A PDF, or an image; the frames of a TIFF are its pages.'),
    pages: PageRanges({ default: 'all' }),
    features: Type.Array(Choice(FEATURES), {
      minItems: 1,
      maxItems: FEATURES.length,
      uniqueItems: true,
    }),
    questions: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
        minItems: 1,
        maxItems: 15,
      }),
    ),
    tier: Type.Optional(
      Choice(TIERS, { description: `How good the language model for questions is; else ${DEFAULT_TIER}.` }),
    ),
    chunk: Type.Optional(ChunkSettings),
    images: Choice(['drop', 'zip'], {
      default: 'drop',
      description: 'zip: put the images of the PDF and the analysis into one file.',
    }),
    mergeTables: Type.Boolean({
      default: true,
      description: 'Join a table that goes on over the next page, without its repeated headings, in `tables`.',
    }),
    languages: pageFields.languages,
    password: pageFields.password,
  }),
  output: ANALYSIS,
  errors: [
    ...PAGE_ERRORS,
    ...(['MISSING_FIELD', 'CONFLICTING_OPTIONS', 'CONTEXT_TOO_LONG', 'CONTENT_REFUSED', 'OUTPUT_INVALID'] as const),
    ...(['PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE', 'INTERNAL'] as const),
  ],
  examples: [
    { title: 'The Markdown of a report', input: { file: 'sample:letter.pdf', features: ['markdown'] } },
    { title: 'Tables of a price list', input: { file: 'sample:price-list.pdf', features: ['tables', 'text'] } },
    {
      title: 'Chunks for a search by meaning',
      input: { file: 'sample:letter.pdf', features: ['chunks'], chunk: { maxTokens: 128, overlap: 16, by: 'heading' } },
    },
  ],

  async run(input, tools) {
    const { features, languages } = input
    const { pages, asked } = planAnalysis(input)
    const file = await openOnce(input.file, input.password, tools)
    const seeksXml = features.includes('invoice') && file.type === 'application/pdf'
    const { found: xml, warnings } = seeksXml ? await findEmbeddedInvoice(file.path, tools) : { warnings: [] }
    const onPages = xml ? features.filter(feature => feature !== 'invoice') : features
    const analyze = (page: number) =>
      tools.timeLimit.run(PAGE_SECONDS, () => analyzePage({ file, page, features: onPages, languages, asked }, tools))
    await analyzePages({ pages, signal: tools.signal, progress: tools.progress, analyze }, tools.savedParts)
    const found = await collectPages(pages, tools.savedParts, input.mergeTables)
    const failure = found.summaries[0]!.error
    if (found.summaries.every(({ status }) => status === 'failed') && failure)
      throw new Problem(failure.code as 'PDF_PARSE_FAILED')
    const { whole, images, usage, ...noted } = await assemble({ input: { ...input, file }, pages, xml }, found, tools)
    const units = found.parts.reduce((sum, { credits }) => sum + credits, xml ? countCredits(['invoice']) : 0)
    const outcome = { units, baseMicros: BigInt(usage?.chargedMicros ?? 0), warnings: [...warnings, ...noted.warnings] }
    const json = `${JSON.stringify(whole).slice(0, -1)},"pages":[${found.pages.join(',')}]}`
    const output = images
      ? { path: await packAnalysis(json, { ...whole, images }, tools), contentType: ZIP_TYPE, name: 'analysis.zip' }
      : { bytes: Buffer.from(json), contentType: JSON_TYPE, name: 'analysis.json' }
    if (json.length > MAX_INLINE_CHARACTERS)
      return { result: { pageCount: pages.length, pages: found.summaries, engine: 'local', output }, ...outcome }
    return { result: { ...JSON.parse(json), ...(images && { output }) }, ...outcome }
  },
})
