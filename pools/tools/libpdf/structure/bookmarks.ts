import { readFile } from 'node:fs/promises'
import { PDF, PdfArray, PdfName, PdfNull, PdfNumber, type PdfRef, PdfString } from '@libpdf/core'
import type { Bookmark, NewBookmark } from '../../../../tasks/formats/pdf/document.ts'
import { pageBoxesOf } from '../pages/boxes.ts'
import { resolveValue, type SourcePart } from './destinations.ts'
import { type OutlineItem, readOutline, writeOutline } from './outlines.ts'

/** Reads the outline of a document and resolves its named targets. */
export async function readBookmarks([file]: string[]): Promise<Bookmark[]> {
  const part = wholeDocument(await PDF.load(await readFile(file!)))
  const pages = new Map(part.pdf.getPages().map(({ ref }, index) => [ref.objectNumber, index + 1]))
  return readOutline(part).map(bookmark => toBookmark(part, bookmark, pages))
}

/** Replaces the outline or appends to it. The file is only appended to, so signatures stay valid. */
export async function writeBookmarks(
  [file]: string[],
  { nodes, isAppending }: { nodes: readonly NewBookmark[]; isAppending: boolean },
): Promise<{ bytes: Uint8Array }> {
  const part = wholeDocument(await PDF.load(await readFile(file!)))
  const before = isAppending ? readOutline(part) : []
  writeOutline(part.pdf, [...before, ...nodes.map(node => toOutlineItem(part.pdf, node))])
  return { bytes: await part.pdf.save({ incremental: true }) }
}

/** Treats a document as its own source: every page keeps its position. */
export function wholeDocument(pdf: PDF): SourcePart {
  const movedPages = new Map(pdf.getPages().map(({ ref }) => [ref.objectNumber, ref]))
  return { pdf, resolve: ref => pdf.getObject(ref), movedPages, takenPages: [], title: undefined }
}

function toOutlineItem(pdf: PDF, { title, page, top, open, bold, italic, color, children }: NewBookmark): OutlineItem {
  const styleEntries: OutlineItem['styleEntries'] = []
  const levels = color?.match(/[\da-f]{2}/gi)?.map(level => PdfNumber.of(Number.parseInt(level, 16) / 255))
  if (levels) styleEntries.push(['C', PdfArray.of(...levels)])
  if (bold || italic) styleEntries.push(['F', PdfNumber.of((bold ? 2 : 0) + (italic ? 1 : 0))])
  return {
    title: PdfString.fromString(title),
    target: page ? buildTarget(pdf, page, top) : undefined,
    styleEntries,
    isOpen: open ?? false,
    children: children?.map(child => toOutlineItem(pdf, child)) ?? [],
  }
}

function buildTarget(pdf: PDF, number: number, top: number | undefined): PdfArray {
  const page = pdf.getPage(number - 1)!
  if (top === undefined) return PdfArray.of(page.ref, PdfName.of('Fit'))
  const [, y, , height] = pageBoxesOf(page.dict, ref => pdf.getObject(ref)).crop
  return PdfArray.of(page.ref, PdfName.of('XYZ'), PdfNull.instance, PdfNumber.of(y + height - top), PdfNull.instance)
}

function toBookmark(part: SourcePart, bookmark: OutlineItem, pages: Map<number, number>): Bookmark {
  const { title, target, styleEntries, isOpen, children } = bookmark
  const page = (target && pages.get((target.at(0) as PdfRef).objectNumber)) ?? null
  const entries = Object.fromEntries(styleEntries)
  const flags = entries.F instanceof PdfNumber ? entries.F.value : 0
  return {
    title: title.asString(),
    page,
    ...readTop(part, target, page),
    open: isOpen,
    bold: (flags & 2) !== 0,
    italic: (flags & 1) !== 0,
    ...readColor(part, entries.C),
    children: children.map(child => toBookmark(part, child, pages)),
  }
}

/** Targets measure from the bottom of the page, the API from the top. */
function readTop({ pdf }: SourcePart, target: PdfArray | undefined, page: number | null): { top?: number } {
  const [, kind, first, second] = target?.toArray() ?? []
  const fit = kind?.type === 'name' ? kind.value : ''
  const bottom = fit === 'XYZ' ? second : fit === 'FitH' || fit === 'FitBH' ? first : undefined
  if (!(bottom instanceof PdfNumber) || page === null) return {}
  const [, y, , height] = pageBoxesOf(pdf.getPage(page - 1)!.dict, ref => pdf.getObject(ref)).crop
  return { top: Math.round((y + height - bottom.value) * 100) / 100 }
}

function readColor(part: SourcePart, value: unknown): { color?: string } {
  if (!(value instanceof PdfArray) || value.length !== 3) return {}
  const levels = value.toArray().map(item => resolveValue(part, item))
  const hex = levels.map(level => {
    const fraction = level instanceof PdfNumber ? Math.min(1, Math.max(0, level.value)) : 0
    return Math.round(fraction * 255)
      .toString(16)
      .padStart(2, '0')
  })
  return { color: `#${hex.join('')}` }
}
