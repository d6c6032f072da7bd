import { type InputFile, Problem, pagesOf } from '#kit'
import type { Origin } from './carry-shape.ts'
import { pageCountOf } from './shape.ts'

export type PagesInput =
  | { action: 'delete'; file: InputFile; pages: string; password?: string }
  | { action: 'reorder'; file: InputFile; order: number[]; password?: string }
  | {
      action: 'insert'
      file: InputFile
      insert: InputFile
      at: number
      insertPages: string
      insertPassword?: string
      password?: string
    }

/** Pages that stand one after the other and come from one of the two files. */
export interface Run {
  isInserted: boolean
  pages: number[]
}

/** The result as runs of pages; a number that is not there is refused. */
export function orderOf(input: PagesInput): Run[] {
  const count = pageCountOf(input.file)
  const all = Array.from({ length: count }, (_, index) => index + 1)
  const own = (pages: number[]): Run => ({ isInserted: false, pages })
  if (input.action === 'delete') {
    const gone = new Set(pagesOf(input.pages, count))
    if (gone.size === count) throw new Problem('NO_PAGES_LEFT', { pageCount: count })
    return [own(all.filter(page => !gone.has(page)))]
  }
  if (input.action === 'reorder') {
    const outside = input.order.find(page => page > count)
    if (outside !== undefined) throw new Problem('BAD_RANGE', { segment: `${outside}`, pageCount: count })
    return [own(input.order)]
  }
  if (input.at > count + 1) throw new Problem('BAD_RANGE', { segment: `${input.at}`, pageCount: count, max: count + 1 })
  const inserted = { isInserted: true, pages: pagesOf(input.insertPages, pageCountOf(input.insert)) }
  const runs = [own(all.slice(0, input.at - 1)), inserted, own(all.slice(input.at - 1))]
  return runs.filter(({ pages }) => pages.length > 0)
}

export function pagesIn(order: readonly Run[]): number {
  return order.reduce((sum, { pages }) => sum + pages.length, 0)
}

export function repeatsPages(order: readonly Run[]): boolean {
  return order.some(({ pages }) => new Set(pages).size < pages.length)
}

/** For each of the two files the pages that were taken and where they now stand. */
export function originsOf(order: readonly Run[], path: string, inserted: string | undefined): Origin[] {
  const own: Required<Origin> = { path, pages: [], start: 0, places: [] }
  const other: Required<Origin> = { path: inserted ?? path, pages: [], start: 0, places: [] }
  let place = 0
  for (const { isInserted, pages } of order) {
    const origin = isInserted ? other : own
    origin.pages = [...origin.pages, ...pages]
    origin.places = [...origin.places, ...pages.map(() => place++)]
  }
  return inserted === undefined ? [own] : [own, other]
}
