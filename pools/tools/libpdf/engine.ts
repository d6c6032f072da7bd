import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { PDF, PdfArray, PdfDict, type PdfObject, PdfRef } from '@libpdf/core'
import type { PdfMark } from '#kit'
import './filter-names.ts'

// Decision 0012: run libpdf in a confined child process.

export {
  addTextLayer,
  createFromImages,
  drawComparison,
  drawOnPages,
  fillForm,
  findMatches,
  locateTexts,
  prepareSeal,
  readForm,
  redact,
  removeTextLayer,
  replaceWithImages,
  showAllLayers,
  stamp,
} from './editor-engine.ts'

import type { Resolve } from './objects.ts'
import { listEmbeddedFonts } from './structure/fonts.ts'

export { removeActiveContent } from './active-content/clean.ts'
export { graftDrawing } from './compression/graft.ts'
export { readImageEncodings, replaceImageData, unwrapImages } from './compression/images.ts'
export { dropAnnotations, readPageBoxes } from './pages/boxes.ts'
export { cropPages } from './pages/crop.ts'
export { isolateImages } from './pages/images.ts'
export { resizePages } from './pages/resize.ts'
export { rotatePages } from './pages/rotate.ts'
export { arrangeSheets } from './pages/sheets.ts'
export { extractPagesIfPlain, joinPagesIfPlain } from './plain-pages.ts'
export { rebuildPages } from './rebuild/pages.ts'
export { dropSignatures, restoreStructure, restoreStructureEach } from './restore-structure.ts'
export { inspectForSealing } from './sealing/inspect.ts'
export { readPkcs12 } from './signatures/keys.ts'
export { completeSignature, signDocument } from './signatures/sign.ts'
export { verifySignatures } from './signatures/verify.ts'
export { addAttachments, listAttachments, removeAttachments } from './structure/attachments.ts'
export { readBookmarks, writeBookmarks } from './structure/bookmarks.ts'
export { describe, dropMetadata, writeMetadata } from './structure/document-info.ts'
export { checkPdfa } from './structure/pdfa-check.ts'
export { dropPdfaClaim } from './structure/pdfa-claim.ts'
export { writePdfa } from './structure/pdfa-write.ts'
export { expandUnicodeRanges } from './structure/unicode-ranges.ts'

export async function version(): Promise<string> {
  const manifest = findPackageJSON('@libpdf/core', import.meta.url)!
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

/** The result of a first reading. `anomaly` says why the document needs qpdf, which reads more than libpdf does. */
export interface Inspection {
  pages: number
  marks: PdfMark[]
  anomaly?: string
  /** The page tree must be rebuilt before pages are counted or taken. */
  hasBrokenTree?: boolean
}

export function inspect(files: string[]): Promise<Inspection[]> {
  return Promise.all(files.map(inspectFile))
}

async function inspectFile(file: string): Promise<Inspection> {
  try {
    const pdf = await PDF.load(await readFile(file))
    const anomaly = findAnomaly(pdf)
    if (anomaly) return { pages: 0, marks: [], anomaly }
    if (!isTreeConsistent(pdf)) return { pages: 0, marks: [], anomaly: 'the page tree', hasBrokenTree: true }
    return { pages: pdf.getPageCount(), marks: detectMarks(pdf) }
  } catch (error) {
    return { pages: 0, marks: [], anomaly: (error as Error).message }
  }
}

/** Describes what a program of ours has printed; a file that is not sound counts as one without pages. */
export async function describePrint([file]: string[]): Promise<{ pages: number; embeddedFonts: string[] }> {
  try {
    const pdf = await PDF.load(await readFile(file!))
    if (findAnomaly(pdf) === undefined && isTreeConsistent(pdf))
      return { pages: pdf.getPageCount(), embeddedFonts: listEmbeddedFonts(pdf) }
  } catch {
    // It is not a PDF that can be read.
  }
  return { pages: 0, embeddedFonts: [] }
}

function findAnomaly(pdf: PDF): string | undefined {
  if (pdf.isEncrypted) return 'encrypted'
  if (pdf.recoveredViaBruteForce) return 'damaged'
  if (!pdf.context.info.trailer.has('Size')) return 'no size in the trailer'
  return pdf.getPageCount() === 0 ? 'no pages' : pdf.warnings[0]
}

/** Some readers trust the counts in the page tree, others its leaves. If the two differ, they see different documents. */
function isTreeConsistent(pdf: PDF): boolean {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const seen = new Set<PdfObject>()
  const countLeaves = (node: PdfObject | null | undefined): number => {
    const dict = node instanceof PdfRef ? resolve(node) : node
    if (!(dict instanceof PdfDict) || seen.has(dict)) return Number.NaN
    seen.add(dict)
    const kids = dict.getArray('Kids', resolve)
    if (!kids) return 1
    const leaves = [...kids].reduce((sum, kid) => sum + countLeaves(kid), 0)
    return dict.getNumber('Count', resolve)?.value === leaves ? leaves : Number.NaN
  }
  return countLeaves(pdf.getCatalog().getDict('Pages', resolve)) === pdf.getPageCount()
}

function detectMarks(pdf: PDF): PdfMark[] {
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
    labels: catalog.has('PageLabels'),
  }
  return (Object.keys(found) as (keyof typeof found)[]).filter(mark => found[mark])
}

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
