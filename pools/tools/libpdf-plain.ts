import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, type PdfDict, type PdfObject, PdfRef } from '@libpdf/core'

/**
 * A document that consists of nothing but pages, such as a scan: nothing refers from one page to another or from the
 * document to a page, so that nothing can be lost when it is cut. Cut here, in a warm child, a part costs a sixth of
 * what another start of qpdf does.
 */
const HARMLESS_KEYS = new Set(['Type', 'Pages', 'Version', 'PageMode', 'PageLayout', 'ViewerPreferences', 'Lang'])
/** What refers from a page to somewhere else. */
const PAGE_TIES = ['Annots', 'StructParents', 'B', 'AA', 'AF', 'PieceInfo', 'Metadata', 'PresSteps']
/** What the pages of a tree may have in common; the reader does not hand it down to a page that leaves the tree. */
const HANDED_DOWN = ['Resources', 'MediaBox']

/**
 * A part for each list of pages, which count from 1, and how long each is. Nothing where the document is not so plain,
 * or the reader stumbles over it.
 */
export async function cutPlain(
  [file]: string[],
  { pages }: { pages: number[][] },
): Promise<{ bytes?: Uint8Array; sizes?: number[] }> {
  try {
    const source = await PDF.load(await readFile(file!))
    if (!isPlain(source)) return {}
    const made: Uint8Array[] = []
    for (const some of pages) made.push(await cutOne(source, some))
    return { bytes: Buffer.concat(made), sizes: made.map(({ length }) => length) }
  } catch {
    return {}
  }
}

async function cutOne(source: PDF, pages: readonly number[]): Promise<Uint8Array> {
  const part = await source.extractPages(pages.map(page => page - 1))
  const { trailer } = part.context.info
  trailer.delete('Info')
  const info = source.context.info.trailer.getDict('Info', ref => source.getObject(ref))
  if (info) trailer.set('Info', part.register(info.clone()))
  for (const [key, value] of source.getCatalog()) {
    if (HARMLESS_KEYS.has(key.value) && key.value !== 'Pages') part.getCatalog().set(key, value)
  }
  return part.save()
}

function isPlain(pdf: PDF): boolean {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = [...pdf.getCatalog()]
  const info = pdf.context.info.trailer.getDict('Info', resolve)
  const isSimple = [...catalog, ...(info ?? [])].every(([key, value]) => key.value === 'Pages' || isDirect(value))
  if (!isSimple || !catalog.every(([key]) => HARMLESS_KEYS.has(key.value))) return false
  return pdf.getPages().every(({ dict }) => standsAlone(dict, resolve))
}

function isDirect(value: PdfObject): boolean {
  if (value instanceof PdfRef || value.type === 'stream') return false
  if (value instanceof PdfArray) return [...value].every(isDirect)
  return value.type !== 'dict' || [...(value as PdfDict)].every(([, inner]) => isDirect(inner))
}

function standsAlone(page: PdfDict, resolve: (ref: PdfRef) => PdfObject | null): boolean {
  const isEmpty = (key: string) => {
    const value = page.get(key, resolve)
    return value === undefined || (value instanceof PdfArray && value.length === 0)
  }
  if (!PAGE_TIES.every(isEmpty) || !HANDED_DOWN.every(key => page.has(key))) return false
  return !handsDown(page.getDict('Parent', resolve), ['Rotate', 'CropBox'], resolve)
}

function handsDown(
  node: PdfDict | undefined,
  keys: readonly string[],
  resolve: (ref: PdfRef) => PdfObject | null,
  depth = 0,
): boolean {
  if (!node || depth > 64) return depth > 64
  return keys.some(key => node.has(key)) || handsDown(node.getDict('Parent', resolve), keys, resolve, depth + 1)
}
