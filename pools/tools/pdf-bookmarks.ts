import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfNumber, type PdfRef } from '@libpdf/core'
import { type Bookmark, readOutline } from './pdf-outlines.ts'
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

/** The outline of a document, its named targets resolved. */
export async function bookmarks([file]: string[]): Promise<BookmarkNode[]> {
  const pdf = await PDF.load(await readFile(file!))
  const pages = new Map(pdf.getPages().map(({ ref }, index) => [ref.objectNumber, index + 1]))
  const moved = new Map(pdf.getPages().map(({ ref }) => [ref.objectNumber, ref]))
  const part: Part = { pdf, resolve: ref => pdf.getObject(ref), moved, taken: [], title: undefined }
  return readOutline(part).map(bookmark => nodeOf(part, bookmark, pages))
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
  const { y, height } = pdf.getPage(page - 1)!.getCropBox()
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
