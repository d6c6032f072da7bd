import { chooseOutputName, type InputFile, Problem, resolvePageSegment, type Warning } from '#kit'
import type { Bookmark } from '../../formats/pdf/document.ts'
import { checkParts } from '../../formats/pdf/manifest.ts'
import { PDF, pageCountOf } from '../schema.ts'

interface SplitInput {
  file: InputFile
  ranges?: string
  burst: boolean
  every?: number
  atBookmarks?: number
  maxPartBytes?: number
  names?: string[]
  zip: boolean
}

export interface PlannedPart {
  pages: number[]
  title?: string
}

const SELECTORS = ['ranges', 'burst', 'every', 'atBookmarks', 'maxPartBytes'] as const

/** With `maxPartBytes` the plan is one part, which the caller halves until every part is small enough. */
export function planParts(input: SplitInput, outline: readonly Bookmark[]): PlannedPart[] {
  const { file, ranges, every, atBookmarks, maxPartBytes } = input
  const fields = SELECTORS.filter(name => input[name] !== undefined && input[name] !== false)
  if (fields.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields })
  if (atBookmarks !== undefined) return checkPlannedParts(splitAtBookmarks(file, outline, atBookmarks), input)
  if (maxPartBytes !== undefined) return [{ pages: listPages(1, pageCountOf(file)) }]
  return checkPlannedParts(ranges === undefined ? splitByCount(file, every ?? 1) : splitByRanges(file, ranges), input)
}

function splitByCount(file: InputFile, size: number): PlannedPart[] {
  const count = Math.ceil(pageCountOf(file) / size)
  return Array.from({ length: count }, (_, index) => {
    const first = index * size + 1
    return { pages: listPages(first, Math.min(first + size - 1, pageCountOf(file))) }
  })
}

/** Segments may overlap and come in any order. */
function splitByRanges(file: InputFile, ranges: string): PlannedPart[] {
  return ranges
    .split(',')
    .map(segment => ({ pages: resolvePageSegment(segment.replaceAll(' ', ''), pageCountOf(file)) }))
}

/** A part starts at each bookmark down to `level`; the pages before the first bookmark are a part too. */
function splitAtBookmarks(file: InputFile, outline: readonly Bookmark[], level: number): PlannedPart[] {
  const titles = new Map<number, string>()
  const visit = (items: readonly Bookmark[], depth: number): void => {
    for (const { title, page, children } of items) {
      if (page !== null && !titles.has(page)) titles.set(page, title)
      if (depth < level) visit(children, depth + 1)
    }
  }
  visit(outline, 1)
  if (titles.size === 0) throw new Problem('NO_BOOKMARKS')
  const starts = [...new Set([1, ...titles.keys()])].sort((a, b) => a - b)
  return starts.map((start, index) => ({
    pages: listPages(start, (starts[index + 1] ?? pageCountOf(file) + 1) - 1),
    title: titles.get(start),
  }))
}

export function halvePart({ pages }: PlannedPart): PlannedPart[] {
  const middle = Math.ceil(pages.length / 2)
  return [{ pages: pages.slice(0, middle) }, { pages: pages.slice(middle) }]
}

export function checkPlannedParts(
  parts: PlannedPart[],
  { names = [], zip }: Pick<SplitInput, 'names' | 'zip'>,
): PlannedPart[] {
  checkParts(parts.length, zip)
  if (names.length > parts.length) {
    throw new Problem('INVALID_PARAM', { field: 'names', max: parts.length, actual: names.length })
  }
  return parts
}

export function describePart({ pages, title }: PlannedPart, path: string, name: string | undefined, index: number) {
  const range = formatPageRange(pages)
  const generatedName = `pages-${range.slice(0, 100)}.pdf`
  return {
    index,
    path,
    contentType: PDF,
    name: chooseOutputName(name, generatedName),
    pages: pages.length,
    range,
    ...(title ? { title } : {}),
  }
}

/** Writes a run of pages as `1-3`, other pages as `4` or `3,1`. */
function formatPageRange(pages: readonly number[]): string {
  const [first, last] = [pages[0]!, pages.at(-1)!]
  if (last - first + 1 !== pages.length) return pages.join(',')
  return first === last ? `${first}` : `${first}-${last}`
}

export function buildPartTooLargeWarning({ pages }: PlannedPart): Warning {
  const message = 'This page alone is larger than maxPartBytes; it is returned as a part of its own.'
  return { code: 'PART_TOO_LARGE', message, page: pages[0] }
}

function listPages(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
