import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfName, PdfNull, PdfNumber, type PdfRef, PdfString } from '@libpdf/core'
import { type Bookmark, readOutline, writeOutline } from './pdf-outlines.ts'
import { sheetOf } from './pdf-sheets.ts'
import { type Part, resolved } from './pdf-targets.ts'

export interface BookmarkNode {
  title: string
  /** From 1; null for a heading that leads nowhere in the document. */
  page: number | null
  /** Points from the top edge of the page. */
  top?: number
  open: boolean
  bold: boolean
  italic: boolean
  color?: string
  children: BookmarkNode[]
}

/** One as a caller gives it. */
export type GivenNode = Pick<BookmarkNode, 'title' | 'top' | 'color'> &
  Partial<Pick<BookmarkNode, 'page' | 'open' | 'bold' | 'italic'>> & { children?: GivenNode[] }

/** The outline of a document, its named targets resolved. */
export async function bookmarks([file]: string[]): Promise<BookmarkNode[]> {
  const part = wholeOf(await PDF.load(await readFile(file!)))
  const pages = new Map(part.pdf.getPages().map(({ ref }, index) => [ref.objectNumber, index + 1]))
  return readOutline(part).map(bookmark => nodeOf(part, bookmark, pages))
}

/** Writes the outline anew, after what was there or instead of it. Signatures stay valid: the file is only added to. */
export async function writeBookmarks(
  [file]: string[],
  { nodes, isAppending }: { nodes: readonly GivenNode[]; isAppending: boolean },
): Promise<{ bytes: Uint8Array }> {
  const part = wholeOf(await PDF.load(await readFile(file!)))
  const before = isAppending ? readOutline(part) : []
  writeOutline(part.pdf, [...before, ...nodes.map(node => bookmarkOf(part.pdf, node))])
  return { bytes: await part.pdf.save({ incremental: true }) }
}

/** The document as a part of itself: every page stays where it is. */
export function wholeOf(pdf: PDF): Part {
  const moved = new Map(pdf.getPages().map(({ ref }) => [ref.objectNumber, ref]))
  return { pdf, resolve: ref => pdf.getObject(ref), moved, taken: [], title: undefined }
}

function bookmarkOf(pdf: PDF, { title, page, top, open, bold, italic, color, children }: GivenNode): Bookmark {
  const looks: Bookmark['looks'] = []
  const levels = color?.match(/[\da-f]{2}/gi)?.map(level => PdfNumber.of(Number.parseInt(level, 16) / 255))
  if (levels) looks.push(['C', PdfArray.of(...levels)])
  if (bold || italic) looks.push(['F', PdfNumber.of((bold ? 2 : 0) + (italic ? 1 : 0))])
  return {
    title: PdfString.fromString(title),
    target: page ? targetOf(pdf, page, top) : undefined,
    looks,
    isOpen: open ?? false,
    children: children?.map(child => bookmarkOf(pdf, child)) ?? [],
  }
}

function targetOf(pdf: PDF, number: number, top: number | undefined): PdfArray {
  const page = pdf.getPage(number - 1)!
  if (top === undefined) return PdfArray.of(page.ref, PdfName.of('Fit'))
  const [, y, , height] = sheetOf(page.dict, ref => pdf.getObject(ref)).crop
  return PdfArray.of(page.ref, PdfName.of('XYZ'), PdfNull.instance, PdfNumber.of(y + height - top), PdfNull.instance)
}

function nodeOf(part: Part, bookmark: Bookmark, pages: Map<number, number>): BookmarkNode {
  const { title, target, looks, isOpen, children } = bookmark
  const page = (target && pages.get((target.at(0) as PdfRef).objectNumber)) ?? null
  const found = Object.fromEntries(looks)
  const style = found.F instanceof PdfNumber ? found.F.value : 0
  return {
    title: title.asString(),
    page,
    ...topOf(part, target, page),
    open: isOpen,
    bold: (style & 2) !== 0,
    italic: (style & 1) !== 0,
    ...colourOf(part, found.C),
    children: children.map(child => nodeOf(part, child, pages)),
  }
}

/** A target says how far up its spot is, from the bottom. */
function topOf({ pdf }: Part, target: PdfArray | undefined, page: number | null): { top?: number } {
  const [, kind, first, second] = target?.toArray() ?? []
  const word = kind?.type === 'name' ? kind.value : ''
  const up = word === 'XYZ' ? second : word === 'FitH' || word === 'FitBH' ? first : undefined
  if (!(up instanceof PdfNumber) || page === null) return {}
  const [, y, , height] = sheetOf(pdf.getPage(page - 1)!.dict, ref => pdf.getObject(ref)).crop
  return { top: Math.round((y + height - up.value) * 100) / 100 }
}

function colourOf(part: Part, value: unknown): { color?: string } {
  if (!(value instanceof PdfArray) || value.length !== 3) return {}
  const levels = value.toArray().map(item => resolved(part, item))
  const hex = levels.map(level => {
    const share = level instanceof PdfNumber ? Math.min(1, Math.max(0, level.value)) : 0
    return Math.round(share * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return { color: `#${hex.join('')}` }
}
