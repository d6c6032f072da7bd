import { type InputFile, Problem } from '#kit'
import { choosePage } from '../schema.ts'

export const MAX_PAGES = 10

const countAll = ({ facts }: InputFile) => facts.pages ?? facts.frames ?? 1

/** How many pages are read at most, and paid for. */
export function countPages({ file, page }: { file: InputFile; page?: number }): number {
  return page === undefined ? Math.min(MAX_PAGES, countAll(file)) : 1
}

/** All pages of an invoice, or the one that was asked for. */
export function choosePages(file: InputFile, page: number | undefined): number[] {
  const pageCount = countAll(file)
  if (page !== undefined || pageCount === 1) return [choosePage(file, page)]
  if (pageCount > MAX_PAGES)
    throw new Problem('TOO_MANY_PAGES', {
      limit: MAX_PAGES,
      actual: pageCount,
      detail: 'set page, or use doc/analyze-async with the feature invoice',
    })
  return Array.from({ length: pageCount }, (_, index) => index + 1)
}
