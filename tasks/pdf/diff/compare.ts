import { matchLongLists } from '../../formats/diff/anchors.ts'
import { TokenInterner } from '../../formats/diff/tokens.ts'
import type { Tools } from '../../kit/operation.ts'
import { listChanges, type PageChanges } from './changes.ts'
import { compareThumbnails, measureLikeness, type PagePair, pairPages } from './pages.ts'
import { findRunningLines } from './running-lines.ts'
import type { DiffInput, Side } from './sides.ts'
import { keepUnpairedApart } from './unpaired.ts'
import { listWords, type Word } from './words.ts'

/** The words of both documents and which of them are the same. */
interface TextComparison {
  words: { a: Word[]; b: Word[] }
  matches: Int32Array
  /** Headers and footers of each document that were left out though the other has no such line. */
  leftOut: { a: readonly string[]; b: readonly string[] }
}

type TextDiff = Pick<Tools, 'textDiff'>

export async function compareTexts(
  [a, b]: readonly [Side, Side],
  { ignore }: Pick<DiffInput, 'ignore'>,
  { textDiff }: TextDiff,
): Promise<TextComparison> {
  const number = ({ numbers, texts }: Side) => texts.map((text, at) => ({ page: numbers[at]!, text }))
  const { skipped, different } = ignore.headersFooters ? findRunningLines([number(a), number(b)], ignore) : NONE
  const words = { a: listWords(a.texts, skipped, ignore), b: listWords(b.texts, skipped, ignore) }
  const [inA, inB] = different.map(lines => lines.map(({ text }) => text))
  return { words, matches: await matchWords(words.a, words.b, textDiff), leftOut: { a: inA!, b: inB! } }
}

const NONE = { skipped: new Set<never>(), different: [[], []] as const }

function matchWords(a: readonly Word[], b: readonly Word[], textDiff: Tools['textDiff']): Promise<Int32Array> {
  const interner = new TokenInterner()
  const [left, right] = [a, b].map(words => interner.intern(words.map(({ key }) => key)))
  return matchLongLists(left!, right!, textDiff.findMatches)
}

/** Likeness of two pages without words whose pictures are not compared. */
const UNKNOWN_LIKENESS = 0.3

export function pairByLikeness(
  sides: readonly [Side, Side],
  { words, matches }: TextComparison,
  thumbnails?: readonly [ReadonlyMap<number, Uint8Array>, ReadonlyMap<number, Uint8Array>],
): PagePair[] {
  const matched = Array.from(
    { length: matches.length / 2 },
    (_, at) => [words.a[matches[at * 2]!]!.page, words.b[matches[at * 2 + 1]!]!.page] as const,
  )
  const counts = [countWords(words.a, sides[0]), countWords(words.b, sides[1])] as const
  const compareBare = (a: number, b: number) =>
    thumbnails ? compareThumbnails(thumbnails[0].get(a), thumbnails[1].get(b)) : UNKNOWN_LIKENESS
  const likenessOf = measureLikeness(matched, { a: counts[0], b: counts[1] }, compareBare)
  return pairPages([counts[0].length, counts[1].length], likenessOf)
}

export function countWords(words: readonly Word[], { numbers }: Side): number[] {
  const counts = numbers.map(() => 0)
  for (const { page } of words) counts[page]! += 1
  return counts
}

/** The changes of each pair of pages: of the text as a whole, or of each page for itself. */
export async function findTextChanges(
  { words, matches }: TextComparison,
  pairs: readonly PagePair[],
  { flow, ignore }: Pick<DiffInput, 'flow' | 'ignore'>,
  { textDiff }: TextDiff,
): Promise<PageChanges[]> {
  if (flow === 'document') {
    const kept = await keepUnpairedApart(words, matches, pairs, (a, b) => matchWords(a, b, textDiff))
    return listChanges(words, kept, pairs, ignore)
  }
  const found: PageChanges[] = []
  for (const pair of pairs) {
    const a = words.a.filter(({ page }) => page === pair.a)
    const b = words.b.filter(({ page }) => page === pair.b)
    found.push(...listChanges({ a, b }, await matchWords(a, b, textDiff), [pair], ignore))
  }
  return found
}
