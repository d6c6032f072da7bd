import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import type { PdfMark } from '#kit'

export { cutPlain } from './libpdf-plain.ts'
export { dropSignatures, stitch, stitchEach } from './libpdf-stitch.ts'
export { addAttachments, attachments, removeAttachments } from './pdf-attachments.ts'
export { bookmarks, writeBookmarks } from './pdf-bookmarks.ts'
export { dropPdfaClaim } from './pdf-claims.ts'
export { describe, stripMetadata, writeMetadata } from './pdf-facts.ts'
export { album, fillForm, listForm, places, redact, stamp, withLayersShown, withPictures } from './pdf-makers.ts'
export { pictureSheet } from './pdf-pictures.ts'
export { dropAnnotations, sheets } from './pdf-sheets.ts'
export { turn } from './pdf-turns.ts'

export async function version(): Promise<string> {
  const manifest = findPackageJSON('@libpdf/core', import.meta.url)!
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

/** What is known of a PDF at first sight; `odd` says why another reader should have a look. */
export interface Inspection {
  pages: number
  marks: PdfMark[]
  odd?: string
  /** The page tree has to be rebuilt before anything goes by it. */
  isTreeOdd?: boolean
}

export function inspect(files: string[]): Promise<Inspection[]> {
  return Promise.all(files.map(inspectOne))
}

async function inspectOne(file: string): Promise<Inspection> {
  try {
    const pdf = await PDF.load(await readFile(file))
    const odd = oddityOf(pdf)
    if (!odd && !isTreeSound(pdf)) return { pages: 0, marks: [], odd: 'the page tree', isTreeOdd: true }
    return odd ? { pages: 0, marks: [], odd } : { pages: pdf.getPageCount(), marks: marksOf(pdf) }
  } catch (error) {
    return { pages: 0, marks: [], odd: (error as Error).message }
  }
}

function oddityOf(pdf: PDF): string | undefined {
  if (pdf.isEncrypted) return 'encrypted'
  if (pdf.recoveredViaBruteForce) return 'damaged'
  return pdf.getPageCount() === 0 ? 'no pages' : pdf.warnings[0]
}

/** Readers go by the counts of a page tree, or by its leaves; where the two differ they see different documents. */
function isTreeSound(pdf: PDF): boolean {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const seen = new Set<PdfObject>()
  const leavesOf = (node: PdfObject | null | undefined): number => {
    const dictionary = node instanceof PdfRef ? resolve(node) : node
    if (!(dictionary instanceof PdfDict) || seen.has(dictionary)) return Number.NaN
    seen.add(dictionary)
    const kids = dictionary.getArray('Kids', resolve)
    if (!kids) return 1
    const leaves = [...kids].reduce((sum, kid) => sum + leavesOf(kid), 0)
    return dictionary.getNumber('Count', resolve)?.value === leaves ? leaves : Number.NaN
  }
  return leavesOf(pdf.getCatalog().getDict('Pages', resolve)) === pdf.getPageCount()
}

function marksOf(pdf: PDF): PdfMark[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = pdf.getCatalog()
  const names = catalog.getDict('Names', resolve)
  const form = catalog.getDict('AcroForm', resolve)
  const found: Record<Exclude<PdfMark, 'odd' | 'repaired' | 'restricted'>, boolean> = {
    outline: catalog.getDict('Outlines', resolve)?.has('First') ?? false,
    links:
      catalog.has('Dests') ||
      (names?.has('Dests') ?? false) ||
      pdf.getPages().some(({ dict }) => hasLinks(dict, resolve)),
    signature: ((form?.getNumber('SigFlags', resolve)?.value ?? 0) & 1) === 1 || catalog.has('Perms'),
    attachments: names?.has('EmbeddedFiles') ?? false,
    layers: catalog.has('OCProperties'),
    tags: catalog.has('StructTreeRoot'),
  }
  return (Object.keys(found) as (keyof typeof found)[]).filter(mark => found[mark])
}

type Resolve = (ref: PdfRef) => PdfObject | null

function hasLinks(page: PdfDict, resolve: Resolve): boolean {
  const annotations = page.getArray('Annots', resolve) ?? new PdfArray()
  return [...annotations].some(item => {
    const annotation = item instanceof PdfRef ? resolve(item) : item
    return annotation instanceof PdfDict && (annotation.has('Dest') || isGoTo(annotation, resolve))
  })
}

function isGoTo(annotation: PdfDict, resolve: Resolve): boolean {
  return annotation.getDict('A', resolve)?.getName('S', resolve)?.value === 'GoTo'
}
