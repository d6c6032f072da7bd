import { readFile } from 'node:fs/promises'
import { deflateSync } from 'node:zlib'
import { PDF, PdfArray, type PdfDict, PdfName, type PdfObject, PdfRef, PdfStream } from '@libpdf/core'
import type { Resolve } from './objects.ts'

// Documents of nothing but pages are joined here in 11 to 17 ms; a bare qpdf takes 26, and its sandbox comes on top.

/** Catalog entries that refer to no page. A catalog with any other entry may lose something when it is split. */
const STANDALONE_CATALOG_KEYS = new Set([
  'Type',
  'Pages',
  'Version',
  'PageMode',
  'PageLayout',
  'ViewerPreferences',
  'Lang',
])
/** Page entries that may refer to other parts of the document. */
const REFERENCING_PAGE_KEYS = ['Annots', 'StructParents', 'B', 'AA', 'AF', 'PieceInfo', 'Metadata', 'PresSteps']
/** Pages must have these themselves: libpdf does not copy inherited entries to a page that leaves the tree. */
const REQUIRED_PAGE_KEYS = ['Resources', 'MediaBox']

/**
 * Splits a document that consists of nothing but pages, such as a scan. No page refers to another, so the split loses
 * nothing, and in this running child process a part costs a sixth of another start of qpdf. Returns the parts joined,
 * with the size of each, or nothing if the document is not that plain or libpdf cannot parse it.
 */
export async function extractPagesIfPlain(
  [file]: string[],
  { pages }: { pages: readonly (readonly number[])[] },
): Promise<{ bytes?: Uint8Array; sizes?: number[] }> {
  try {
    const source = await PDF.load(await readFile(file!))
    if (!hasOnlyPages(source)) return {}
    const parts: Uint8Array[] = []
    for (const pagesOfPart of pages) parts.push(await extractPart(source, pagesOfPart))
    return { bytes: Buffer.concat(parts), sizes: parts.map(({ length }) => length) }
  } catch {
    return {}
  }
}

/**
 * Joins pages of documents that consist of nothing but pages, as `extractPagesIfPlain` splits them. Document properties
 * come from the first.
 */
export async function joinPagesIfPlain(
  files: string[],
  { pages }: { pages: readonly (readonly number[])[] },
): Promise<{ bytes?: Uint8Array }> {
  try {
    const joined = PDF.create()
    for (const [index, file] of files.entries()) {
      const source = await PDF.load(await readFile(file))
      if (!hasOnlyPages(source)) return {}
      const indices = pages[index]!.map(page => page - 1)
      await joined.copyPagesFrom(source, indices, { includeThumbnails: true })
      if (index === 0) copyProperties(source, joined)
    }
    compressStreams(joined)
    return { bytes: await joined.save() }
  } catch {
    return {}
  }
}

async function extractPart(source: PDF, pages: readonly number[]): Promise<Uint8Array> {
  const part = await source.extractPages(pages.map(page => page - 1))
  copyProperties(source, part)
  compressStreams(part)
  return part.save()
}

/** Copies what a document says about itself, which refers to nothing else if it is plain. */
function copyProperties(source: PDF, target: PDF): void {
  const { trailer } = target.context.info
  trailer.delete('Info')
  const info = source.context.info.trailer.getDict('Info', ref => source.getObject(ref))
  if (info) trailer.set('Info', target.register(info.clone()))
  for (const [key, value] of source.getCatalog()) {
    if (STANDALONE_CATALOG_KEYS.has(key.value) && key.value !== 'Pages') target.getCatalog().set(key, value)
  }
}

/** Below this size the library does not compress either. */
const MIN_COMPRESSED_BYTES = 512

/** Does natively what the library would do on saving, which takes a third of the time of a split. */
function compressStreams(pdf: PDF): void {
  for (const [, object] of pdf.context.registry.entries()) {
    if (!(object instanceof PdfStream) || object.has('Filter') || object.data.length < MIN_COMPRESSED_BYTES) continue
    const compressed = deflateSync(object.data)
    if (compressed.length >= object.data.length) continue
    object.setData(compressed)
    object.set('Filter', PdfName.of('FlateDecode'))
  }
}

function hasOnlyPages(pdf: PDF): boolean {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const catalog = [...pdf.getCatalog()]
  const info = pdf.context.info.trailer.getDict('Info', resolve)
  const hasOnlyDirectValues = [...catalog, ...(info ?? [])].every(
    ([key, value]) => key.value === 'Pages' || isDirect(value),
  )
  if (!hasOnlyDirectValues || !catalog.every(([key]) => STANDALONE_CATALOG_KEYS.has(key.value))) return false
  return pdf.getPages().every(({ dict }) => isSelfContained(dict, resolve))
}

function isDirect(value: PdfObject): boolean {
  if (value instanceof PdfRef || value.type === 'stream') return false
  if (value instanceof PdfArray) return [...value].every(isDirect)
  return value.type !== 'dict' || [...(value as PdfDict)].every(([, inner]) => isDirect(inner))
}

function isSelfContained(page: PdfDict, resolve: Resolve): boolean {
  const isEmpty = (key: string) => {
    const value = page.get(key, resolve)
    return value === undefined || (value instanceof PdfArray && value.length === 0)
  }
  if (!REFERENCING_PAGE_KEYS.every(isEmpty) || !REQUIRED_PAGE_KEYS.every(key => page.has(key))) return false
  return !inheritsAny(page.getDict('Parent', resolve), ['Rotate', 'CropBox'], resolve)
}

const MAX_TREE_DEPTH = 64

function inheritsAny(node: PdfDict | undefined, keys: readonly string[], resolve: Resolve, depth = 0): boolean {
  if (depth > MAX_TREE_DEPTH) return true
  if (!node) return false
  return keys.some(key => node.has(key)) || inheritsAny(node.getDict('Parent', resolve), keys, resolve, depth + 1)
}
