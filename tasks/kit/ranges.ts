import { Problem } from './problem.ts'

const SEGMENT = /^(all|odd|even|(?:last(?:-(\d+))?)|(\d+)(-(\d+)?)?)$/

/** The pages of a range such as `1-3,5,last`, in the order given. A page outside the document is a Problem. */
export function resolvePageRange(range: string, pageCount: number): number[] {
  return range.split(',').flatMap(segment => resolvePageSegment(segment.replaceAll(' ', ''), pageCount))
}

export function resolvePageSegment(segment: string, pageCount: number): number[] {
  const match = SEGMENT.exec(segment)
  if (!match) throw new Problem('BAD_RANGE', { segment, pageCount })
  const [, word, fromLast, first, dash, end] = match
  if (word === 'all') return listNumbers(1, pageCount)
  if (word === 'odd' || word === 'even') return requireWithin(everySecond(word, pageCount), segment, pageCount)
  if (first === undefined) return requireWithin([pageCount - Number(fromLast ?? 0)], segment, pageCount)
  const from = Number(first)
  const to = dash === undefined ? from : end === undefined ? pageCount : Number(end)
  if (to < from || to > pageCount) throw new Problem('BAD_RANGE', { segment, pageCount })
  return requireWithin(listNumbers(from, to), segment, pageCount)
}

function everySecond(word: 'odd' | 'even', pageCount: number): number[] {
  return listNumbers(1, pageCount).filter(page => page % 2 === (word === 'odd' ? 1 : 0))
}

function requireWithin(pages: number[], segment: string, pageCount: number): number[] {
  const outside = pages.length === 0 || pages.some(page => page < 1 || page > pageCount)
  if (outside) throw new Problem('BAD_RANGE', { segment, pageCount })
  return pages
}

function listNumbers(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}
