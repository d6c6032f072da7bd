import { endOf, type Row, startOf } from './rows.ts'

/** A number of a section such as 3, 3.1, IV or (b), or a word such as Chapter or Annex with one. */
const NUMBERED = /^\s*(?:\p{Lu}\p{L}+ )?\(?(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,6}|[A-Za-z])(?:[.):]|\s|$)/u
/** What does not end a heading: a joining mark, or a short word in small letters such as `of`. */
const GOES_ON = /(?:[,:&–-]|(?:^|\s)\p{Ll}{1,3})\s*$/u

interface Line {
  row: Row
  text: string
}

/**
 * Whether a line of a heading continues the one above it, in a column that ends at `end`. A line is only broken where the
 * next word has no room, unless by hand in the middle of what is said.
 */
export function continuesHeading(before: Line, line: Line, end: number): boolean {
  if (NUMBERED.test(before.text) && NUMBERED.test(line.text)) return false
  if (/^\s*\p{Ll}/u.test(line.text) || GOES_ON.test(before.text)) return true
  const isAligned = Math.abs(startOf(line.row) - startOf(before.row)) < 2
  return !isAligned || end - endOf(before.row) < measureFirstWord(line)
}

/** The space before the word included. */
function measureFirstWord({ row, text }: Line): number {
  const [word = ''] = text.trim().split(/\s/)
  return ((word.length + 1) / Math.max(1, text.trim().length)) * (row.right - row.left)
}
