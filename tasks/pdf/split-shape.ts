import { type InputFile, outputName, Problem, pagesOfSegment, type Warning } from '#kit'
import { checkParts } from './parcel-shape.ts'
import { PDF, pageCountOf } from './shape.ts'

export interface SplitInput {
  file: InputFile
  ranges?: string
  burst: boolean
  every?: number
  atBookmarks?: number
  maxPartBytes?: number
  names?: string[]
  zip: boolean
}

export interface Cut {
  pages: number[]
  title?: string
}

export interface Heading {
  title: string
  page: number | null
  children: Heading[]
}

const SELECTORS = ['ranges', 'burst', 'every', 'atBookmarks', 'maxPartBytes'] as const

/** The parts that are wanted; with `maxPartBytes` the whole, to be halved until every part is small enough. */
export function cutsOf(input: SplitInput, outline: readonly Heading[]): Cut[] {
  const { file, ranges, every, atBookmarks, maxPartBytes } = input
  const fields = SELECTORS.filter(name => input[name] !== undefined && input[name] !== false)
  if (fields.length > 1) throw new Problem('CONFLICTING_OPTIONS', { fields })
  if (atBookmarks !== undefined) return checkCuts(cutByHeadings(file, outline, atBookmarks), input)
  if (maxPartBytes !== undefined) return [{ pages: span(1, pageCountOf(file)) }]
  return checkCuts(ranges === undefined ? cutByCount(file, every ?? 1) : cutByRanges(file, ranges), input)
}

function cutByCount(file: InputFile, size: number): Cut[] {
  const count = Math.ceil(pageCountOf(file) / size)
  return Array.from({ length: count }, (_, index) => {
    const first = index * size + 1
    return { pages: span(first, Math.min(first + size - 1, pageCountOf(file))) }
  })
}

/** A part for each segment; segments may overlap and come in any order. */
function cutByRanges(file: InputFile, ranges: string): Cut[] {
  return ranges.split(',').map(segment => ({ pages: pagesOfSegment(segment.replaceAll(' ', ''), pageCountOf(file)) }))
}

/** A part from each heading down to `level` to the next; what comes before the first heading is a part too. */
function cutByHeadings(file: InputFile, outline: readonly Heading[], level: number): Cut[] {
  const titles = new Map<number, string>()
  const visit = (headings: readonly Heading[], depth: number): void => {
    for (const { title, page, children } of headings) {
      if (page !== null && !titles.has(page)) titles.set(page, title)
      if (depth < level) visit(children, depth + 1)
    }
  }
  visit(outline, 1)
  if (titles.size === 0) throw new Problem('NO_BOOKMARKS')
  const starts = [...new Set([1, ...titles.keys()])].sort((a, b) => a - b)
  return starts.map((start, index) => ({
    pages: span(start, (starts[index + 1] ?? pageCountOf(file) + 1) - 1),
    title: titles.get(start),
  }))
}

/** Two halves of a part that turned out too large. */
export function halves({ pages }: Cut): Cut[] {
  const middle = Math.ceil(pages.length / 2)
  return [{ pages: pages.slice(0, middle) }, { pages: pages.slice(middle) }]
}

export function checkCuts(cuts: Cut[], { names = [], zip }: Pick<SplitInput, 'names' | 'zip'>): Cut[] {
  checkParts(cuts.length, zip)
  if (names.length > cuts.length) {
    throw new Problem('INVALID_PARAM', { field: 'names', max: cuts.length, actual: names.length })
  }
  return cuts
}

export function outputOf({ pages, title }: Cut, path: string, name: string | undefined, index: number) {
  const range = rangeText(pages)
  const made = `pages-${range.slice(0, 100)}.pdf`
  return {
    index,
    path,
    contentType: PDF,
    name: outputName(name, made),
    pages: pages.length,
    range,
    ...(title ? { title } : {}),
  }
}

/** `4` or `1-3`, as a caller would name the pages. */
function rangeText(pages: readonly number[]): string {
  const [first, last] = [pages[0]!, pages.at(-1)!]
  if (last - first + 1 !== pages.length) return pages.join(',')
  return first === last ? `${first}` : `${first}-${last}`
}

export function partTooLarge({ pages }: Cut): Warning {
  const message = 'This page alone is larger than maxPartBytes and became a part of its own.'
  return { code: 'PART_TOO_LARGE', message, page: pages[0] }
}

function span(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
