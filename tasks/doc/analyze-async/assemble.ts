import { Problem, type Warning } from '#kit'
import type { EInvoice } from '../../formats/einvoice/read.ts'
import { describeInvoice } from '../../formats/invoice/result.ts'
import type { Tools } from '../../kit/operation.ts'
import { buildChunks, DEFAULT_CHUNK } from './chunks.ts'
import type { collectPages } from './document.ts'
import { findImages } from './images.ts'
import { joinInvoices } from './invoices.ts'
import type { AnalysisInput } from './price.ts'
import { chooseAnswers, sumUsage } from './questions.ts'

type Collected = Awaited<ReturnType<typeof collectPages>>

interface Document {
  input: AnalysisInput & { mergeTables: boolean; images: 'drop' | 'zip' }
  pages: readonly number[]
  /** The electronic invoice inside of it. */
  xml: EInvoice | undefined
}

type AssembleTools = Pick<Tools, 'libpdf' | 'pageRenderer' | 'poppler' | 'qpdf' | 'sharp' | 'tokenizer'> & {
  out(name: string): string
}

/** What is found in the document as a whole. */
export async function assemble({ input, pages, xml }: Document, found: Collected, tools: AssembleTools) {
  const { features, questions, chunk = DEFAULT_CHUNK } = input
  requireAnswers(features, found.parts)
  const { images, warnings } =
    input.images === 'zip' ? await findImages(input.file, pages, tools) : { images: undefined, warnings: [] }
  const usage = sumUsage(found.parts.flatMap(part => part.usage ?? []))
  const pieces = found.parts.map(part => [part.page, part.pieces ?? []] as const)
  const whole = {
    pageCount: pages.length,
    engine: 'local' as const,
    ...(features.includes('markdown') && { markdown: joinMarkdown(found.markdown, images) }),
    ...(found.headings.length > 0 && { headings: found.headings }),
    ...(features.includes('tables') && input.mergeTables && { tables: found.tables }),
    ...(features.includes('invoice') && { invoices: xml ? [describeXml(xml, pages)] : joinPages(found.parts) }),
    ...(questions && { answers: chooseAnswers(questions, found.parts) }),
    ...(usage && { usage }),
    ...(features.includes('chunks') && { chunks: await buildChunks(pieces, chunk, tools.tokenizer) }),
    ...(images && { images: images.map(({ path: _, ...facts }) => facts) }),
  }
  return { whole, images, usage, warnings: warnings satisfies Warning[] }
}

/** Where on its page an image stands is not known, so it follows the text. */
function joinMarkdown(pages: Collected['markdown'], images: readonly { page: number; name: string }[] = []): string {
  const parts = pages.flatMap(({ page, text }) => [
    text,
    ...images.filter(image => image.page === page).map(({ name }) => `![](${name})`),
  ])
  return parts.filter(part => part !== '').join('\n\n')
}

function joinPages(parts: Collected['parts']) {
  return joinInvoices(parts.flatMap(({ page, invoice }) => (invoice ? [{ page, invoice }] : [])))
}

function describeXml({ syntax, profile, invoice }: EInvoice, pages: readonly number[]) {
  const xml = { syntax, ...(profile !== undefined && { profile }) }
  return { pages: [...pages], ...describeInvoice(invoice, 0), xml }
}

/** If nothing but answers was asked for, and no page could be asked, the call has failed. */
function requireAnswers(features: readonly string[], parts: Collected['parts']): void {
  const failure = parts.find(({ questionError }) => questionError)?.questionError
  if (failure && features.length === 1 && parts.every(({ answers }) => !answers))
    throw new Problem(failure.code as 'PROVIDER_UNAVAILABLE')
}
