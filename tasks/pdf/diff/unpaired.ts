import type { PagePair } from './pages.ts'
import type { Word } from './words.ts'

interface Words {
  a: readonly Word[]
  b: readonly Word[]
}

type MatchWords = (a: readonly Word[], b: readonly Word[]) => Promise<Int32Array>

/**
 * A page without a counterpart may have words that a page beside it has too. Where as many words match without it, all of
 * its words are new, or gone, and those of the pages beside it are not.
 */
export async function keepUnpairedApart(
  words: Words,
  matches: Int32Array,
  pairs: readonly PagePair[],
  matchWords: MatchWords,
): Promise<Int32Array> {
  let kept = matches
  for (const run of listUnpairedRuns(pairs)) kept = await keepRunApart(words, kept, run, matchWords)
  return kept
}

/** Pages without a counterpart that follow each other, and the pairs beside them. */
interface Run {
  a: ReadonlySet<number | null>
  b: ReadonlySet<number | null>
  before?: PagePair
  after?: PagePair
}

function listUnpairedRuns(pairs: readonly PagePair[]): Run[] {
  const isPaired = ({ a, b }: PagePair) => a !== null && b !== null
  return pairs.flatMap((pair, start): Run[] => {
    const before = pairs[start - 1]
    if (isPaired(pair) || (before && !isPaired(before))) return []
    const length = pairs.slice(start).findIndex(isPaired)
    const run = pairs.slice(start, length < 0 ? undefined : start + length)
    const [a, b] = [new Set(run.map(page => page.a)), new Set(run.map(page => page.b))]
    return [{ a, b, before, after: pairs[start + run.length] }]
  })
}

async function keepRunApart(words: Words, matches: Int32Array, run: Run, matchWords: MatchWords): Promise<Int32Array> {
  const [start, end] = findMatchesBeside(words, matches, run)
  const own = matches.subarray(start * 2, end * 2)
  const isOfRun = own.some((index, at) =>
    at % 2 === 0 ? run.a.has(words.a[index]!.page) : run.b.has(words.b[index]!.page),
  )
  if (!isOfRun) return matches
  const list = (side: 'a' | 'b') => {
    const offset = side === 'a' ? 0 : 1
    const from = start === 0 ? 0 : matches[start * 2 - 2 + offset]! + 1
    const indexes = Array.from(
      { length: (matches[end * 2 + offset] ?? words[side].length) - from },
      (_, at) => from + at,
    )
    return indexes.filter(index => !run[side].has(words[side][index]!.page))
  }
  const [left, right] = [list('a'), list('b')]
  const found = await matchWords(
    left.map(index => words.a[index]!),
    right.map(index => words.b[index]!),
  )
  if (found.length < own.length) return matches
  const moved = found.map((index, at) => (at % 2 === 0 ? left : right)[index]!)
  const kept = new Int32Array(matches.length - own.length + moved.length)
  kept.set(matches.subarray(0, start * 2))
  kept.set(moved, start * 2)
  kept.set(matches.subarray(end * 2), start * 2 + moved.length)
  return kept
}

/** The range of the matches between pages of the run and of the pairs beside it. */
function findMatchesBeside({ a, b }: Words, matches: Int32Array, { before, after }: Run): [start: number, end: number] {
  const pagesOf = (at: number) => [a[matches[at * 2]!]!.page, b[matches[at * 2 + 1]!]!.page] as const
  const isBefore = ([left, right]: readonly [number, number]) => left < (before?.a ?? 0) || right < (before?.b ?? 0)
  const isAfter = ([left, right]: readonly [number, number]) =>
    left > (after?.a ?? Infinity) || right > (after?.b ?? Infinity)
  const count = matches.length / 2
  return [findFirst(count, at => !isBefore(pagesOf(at))), findFirst(count, at => isAfter(pagesOf(at)))]
}

/** The first for which something is true that then is true of all that follow. */
function findFirst(count: number, isTrue: (at: number) => boolean): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isTrue(middle)) to = middle
    else from = middle + 1
  }
  return from
}
