import { type InputFile, Problem, type Tools } from '#kit'
import { openPdf } from '../../../formats/pdf/opening.ts'
import { findRightToLeft } from '../../../formats/words/direction.ts'
import type { PageGeometry } from '../document.ts'
import { TAG } from './tags.ts'

const TAGS = new RegExp(TAG.source, 'g')

type OpeningTools = Pick<Tools, 'libpdf' | 'qpdf'> & { out(name: string): string }

/** A document that can be sealed, as the engines read it. */
export interface OpenedDocument {
  path: string
  pages: Omit<PageGeometry, 'hasText' | 'isRightToLeft'>[]
  formFields: number
  attachments: number
}

/** Opens a document that is to be signed, and refuses what no seal can keep. */
export async function openForSigning(
  file: InputFile,
  name: string,
  { libpdf, qpdf, out }: OpeningTools,
): Promise<OpenedDocument> {
  if (file.facts.encrypted) throw new Problem('PDF_ENCRYPTED')
  const path = await openPdf(file, { qpdf, password: undefined, to: out(`${name}-opened.pdf`) })
  const { isXfa, isSigned, ...found } = await libpdf.inspectForSealing(path)
  if (isXfa) throw new Problem('PDF_XFA_UNSUPPORTED')
  if (isSigned) throw new Problem('PDF_ALREADY_SIGNED')
  return { path, ...found }
}

/** Opens a document and finds out which of its pages have text. */
export async function inspectDocument(
  file: InputFile,
  { poppler, ...tools }: OpeningTools & Pick<Tools, 'poppler'>,
): Promise<Omit<OpenedDocument, 'path' | 'pages'> & { pages: PageGeometry[] }> {
  const { path, pages, ...counts } = await openForSigning(file, 'document', tools)
  const texts = await poppler.extractText(path, { first: 1, last: pages.length, layout: 'raw' })
  return { ...counts, pages: pages.map((page, index) => ({ ...page, ...describeText([texts[index] ?? '']) })) }
}

/** What the text of a page says of it. Tags are no words of it. */
export function describeText(texts: readonly string[]): Pick<PageGeometry, 'hasText' | 'isRightToLeft'> {
  const isRightToLeft = findRightToLeft(texts.map(text => text.replaceAll(TAGS, ''))) ?? false
  return { hasText: texts.some(text => text.trim() !== ''), ...(isRightToLeft && { isRightToLeft }) }
}
