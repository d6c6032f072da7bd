/** A number by itself: no part of another one, of a date or of a code, and without zeros before it. */
const NUMBER = /(?<![\w.,:/-])[1-9]\d{0,5}(?![\w-]|[.,:]\d)/g

/** A line with a number that may count with the pages, as what is the same on all pages if it does. */
export function countingVariants(text: string, page: number): string[] {
  const variants = [...text.matchAll(NUMBER)].map(({ 0: digits, index }) => {
    return `${text.slice(0, index)}#${Number(digits) - page}${text.slice(index + digits.length)}`
  })
  return [...new Set(variants)]
}

/** Whether a line is nothing but the number of its page, as `3`, `- 3 -` or `Page 3 of 12`. */
export function isPageNumber(text: string, page: number): boolean {
  const [, digits] = /^\W*(?:page\s*)?(\d+)(?:\s*(?:\/|of)\s*\d+)?\W*$/iu.exec(text) ?? []
  return Number(digits) === page
}

/**
 * On a page with little else, a line that counts is likely what the page is about, as the number of a ticket, and no
 * header.
 */
export const MIN_LINES_BESIDE_COUNTING = 3
