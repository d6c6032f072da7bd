import type { Row } from './rows.ts'

const PAGE_NUMBER =
  /(?<!\p{L})(?:page|seite|página|pagina|pág\.?|strona|sida|blatt)\s*:?\s*\d+(?:\s*(?:of|von|de|di|van|av|z|\/)\s*\d+)?|^\s*\d+\s*(?:of|von|de|di|van|\/)\s*\d+\s*$/giu
/** How much lower or higher it may stand on another page, as a share of the height. */
const SAME_PLACE = 0.01

/** Rows that belong to no part of the invoice: those with the number of the page, and those that other pages have at the same place. */
export function findRunningRows(pages: readonly { rows: readonly Row[]; page: { height: number } }[]): Set<Row> {
  const places = new Map<string, { page: number; at: number; row: Row; isNumbered: boolean }[]>()
  for (const [page, { rows, page: size }] of pages.entries())
    for (const row of rows) {
      const text = row.text.replaceAll(PAGE_NUMBER, '').trim()
      const place = { page, at: row.top / size.height, row, isNumbered: text !== row.text.trim() }
      places.set(text, [...(places.get(text) ?? []), place])
    }
  const running = [...places.values()].flatMap(same =>
    same.filter(
      ({ page, at, isNumbered }) =>
        isNumbered || same.some(other => other.page !== page && Math.abs(other.at - at) < SAME_PLACE),
    ),
  )
  return new Set(running.map(({ row }) => row))
}
