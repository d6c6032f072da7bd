import { type PDF, type PDFPage, PdfArray, PdfDict, PdfName, type PdfObject, type PdfRef } from '@libpdf/core'
import { type Resolve, resolveDict, walkDicts } from '../objects.ts'

const FONT_FILES = ['FontFile', 'FontFile2', 'FontFile3']

/** The names of the fonts that are in a document, without the prefix of a subset. */
export function listEmbeddedFonts(pdf: PDF): string[] {
  const resolve = (ref: PdfRef) => pdf.getObject(ref)
  const drawn = new PdfArray(pdf.getPages().flatMap(page => listDrawn(page, resolve)))
  const names = new Set<string>()
  for (const dict of walkDicts(drawn, resolve)) {
    const name = nameOf(dict, 'Type', resolve) === 'Font' && nameOf(dict, 'BaseFont', resolve)
    if (name && isEmbedded(dict, resolve)) names.add(name.replace(/^[A-Z]{6}\+/, ''))
  }
  return [...names]
}

/** What a page and its annotations draw with; the rest of the document is not looked at. */
function listDrawn({ dict }: PDFPage, resolve: Resolve): PdfObject[] {
  const annotations = dict.getArray('Annots', resolve)?.toArray() ?? []
  const appearances = annotations.map(item => resolveDict(item, resolve)?.get('AP'))
  return [findResources(dict, resolve), ...appearances].filter(item => item !== undefined)
}

const MAX_DEPTH = 32

function findResources(page: PdfDict, resolve: Resolve): PdfDict | undefined {
  let node: PdfDict | undefined = page
  for (let depth = 0; node && depth < MAX_DEPTH; depth += 1) {
    const resources = node.getDict('Resources', resolve)
    if (resources) return resources
    node = node.getDict('Parent', resolve)
  }
  return undefined
}

/** The file of a font of many characters is with its only descendant, which is a font itself. */
function isEmbedded(font: PdfDict, resolve: Resolve): boolean {
  const descendant = font.getArray('DescendantFonts', resolve)?.at(0, resolve)
  const descriptor = (descendant instanceof PdfDict ? descendant : font).getDict('FontDescriptor', resolve)
  return FONT_FILES.some(key => descriptor?.has(key))
}

function nameOf(dict: PdfDict, key: string, resolve: Resolve): string | undefined {
  const value = dict.get(key, resolve)
  return value instanceof PdfName ? value.value : undefined
}
