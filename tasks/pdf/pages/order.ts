import { type InputFile, Problem, resolvePageRange } from '#kit'
import type { PageSource } from '../../formats/pdf/carry-over.ts'
import { pageCountOf } from '../schema.ts'

export type PagesInput =
  | { action: 'delete'; file: InputFile; pages: string; password?: string }
  | { action: 'delete-blank'; file: InputFile; threshold: number; password?: string }
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

/** Consecutive pages of the result that come from the same file. */
interface PageRun {
  isInserted: boolean
  pages: number[]
}

/** Plans the result as runs of pages and rejects page numbers that do not exist. `blank` are the pages without ink. */
export function planOrder(input: PagesInput, blank: readonly number[] = []): PageRun[] {
  const count = pageCountOf(input.file)
  const all = Array.from({ length: count }, (_, index) => index + 1)
  const fromFile = (pages: number[]): PageRun => ({ isInserted: false, pages })
  if (input.action === 'delete') {
    const deleted = new Set(resolvePageRange(input.pages, count))
    if (deleted.size === count) throw new Problem('NO_PAGES_LEFT', { pageCount: count })
    return [fromFile(all.filter(page => !deleted.has(page)))]
  }
  if (input.action === 'delete-blank') return [fromFile(all.filter(page => !blank.includes(page)))]
  if (input.action === 'reorder') {
    const missing = input.order.find(page => page > count)
    if (missing !== undefined) throw new Problem('BAD_RANGE', { segment: `${missing}`, pageCount: count })
    return [fromFile(input.order)]
  }
  if (input.at > count + 1) throw new Problem('BAD_RANGE', { segment: `${input.at}`, pageCount: count, max: count + 1 })
  const inserted = { isInserted: true, pages: resolvePageRange(input.insertPages, pageCountOf(input.insert)) }
  const runs = [fromFile(all.slice(0, input.at - 1)), inserted, fromFile(all.slice(input.at - 1))]
  return runs.filter(({ pages }) => pages.length > 0)
}

export function countPages(order: readonly PageRun[]): number {
  return order.reduce((sum, { pages }) => sum + pages.length, 0)
}

export function repeatsPages(order: readonly PageRun[]): boolean {
  return order.some(({ pages }) => new Set(pages).size < pages.length)
}

/** Lists for each of the two files the pages that were taken and their new positions. */
export function listPageSources(order: readonly PageRun[], path: string, inserted: string | undefined): PageSource[] {
  const original: Required<Omit<PageSource, 'title'>> = { path, pages: [], start: 0, positions: [] }
  const other: Required<Omit<PageSource, 'title'>> = { path: inserted ?? path, pages: [], start: 0, positions: [] }
  let position = 0
  for (const { isInserted, pages } of order) {
    const source = isInserted ? other : original
    source.pages = [...source.pages, ...pages]
    source.positions = [...source.positions, ...pages.map(() => position++)]
  }
  return inserted === undefined ? [original] : [original, other]
}
