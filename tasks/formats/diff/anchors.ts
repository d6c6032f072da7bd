type MatchFinder = (left: Int32Array, right: Int32Array) => Promise<Int32Array>

/** Lists up to this length are compared number by number. */
const MAX_LENGTH = 1500
/** How many numbers in a row must be equal, and found once on each side, to be an anchor. */
const ANCHOR_LENGTHS = [8, 4, 2, 1]

interface Span {
  left: [start: number, end: number]
  right: [start: number, end: number]
}

/**
 * A common subsequence of two number lists of any length, as pairs of an index in `left` and one in `right`. Long lists
 * are divided at sequences that occur exactly once on each side, so that two different books take seconds, not hours.
 */
export async function matchLongLists(
  left: Int32Array,
  right: Int32Array,
  findMatches: MatchFinder,
): Promise<Int32Array> {
  const matcher = new Matcher(left, right, findMatches)
  await matcher.match({ left: [0, left.length], right: [0, right.length] }, 0)
  return Int32Array.from(matcher.pairs)
}

class Matcher {
  readonly pairs: number[] = []
  readonly #left: Int32Array
  readonly #right: Int32Array
  readonly #findMatches: MatchFinder

  constructor(left: Int32Array, right: Int32Array, findMatches: MatchFinder) {
    this.#left = left
    this.#right = right
    this.#findMatches = findMatches
  }

  async match(span: Span, level: number): Promise<void> {
    const inner = skipEqualEnds(this.#left, this.#right, span)
    pushDiagonal(this.pairs, span.left[0], span.right[0], inner.left[0] - span.left[0])
    await this.#matchInner(inner, level)
    pushDiagonal(this.pairs, inner.left[1], inner.right[1], span.left[1] - inner.left[1])
  }

  async #matchInner(span: Span, level: number): Promise<void> {
    const lengths = [span.left[1] - span.left[0], span.right[1] - span.right[0]] as const
    if (Math.min(...lengths) === 0) return
    if (Math.max(...lengths) > MAX_LENGTH) {
      for (const part of divide(this.#left, this.#right, span, level)) await this.match(part, level + 1)
      return
    }
    const found = await this.#findMatches(this.#left.subarray(...span.left), this.#right.subarray(...span.right))
    for (const [at, index] of found.entries()) this.pairs.push(index + (at % 2 === 0 ? span.left : span.right)[0])
  }
}

function pushDiagonal(pairs: number[], left: number, right: number, length: number): void {
  for (let step = 0; step < length; step++) pairs.push(left + step, right + step)
}

function skipEqualEnds(left: Int32Array, right: Int32Array, span: Span): Span {
  let [[from, to], [start, end]] = [span.left, span.right]
  while (from < to && start < end && left[from] === right[start]) {
    from += 1
    start += 1
  }
  while (to > from && end > start && left[to - 1] === right[end - 1]) {
    to -= 1
    end -= 1
  }
  return { left: [from, to], right: [start, end] }
}

/** The parts between anchors; where nothing serves as an anchor, parts of equal share. */
function divide(left: Int32Array, right: Int32Array, span: Span, level: number): Span[] {
  const length = ANCHOR_LENGTHS[level]
  if (length === undefined) return divideEvenly(span)
  const anchors = findAnchors(left, right, span, length)
  const starts = [[span.left[0], span.right[0]] as const, ...anchors]
  return starts.map(([from, start], index) => {
    const [to, end] = anchors[index] ?? [span.left[1], span.right[1]]
    return { left: [from, to], right: [start, end] }
  })
}

function divideEvenly({ left, right }: Span): Span[] {
  const count = Math.ceil(Math.max(left[1] - left[0], right[1] - right[0]) / MAX_LENGTH)
  const cut = ([start, end]: [number, number], part: number) => start + Math.floor(((end - start) * part) / count)
  return Array.from({ length: count }, (_, part) => ({
    left: [cut(left, part), cut(left, part + 1)],
    right: [cut(right, part), cut(right, part + 1)],
  }))
}

function findAnchors(left: Int32Array, right: Int32Array, span: Span, length: number): [number, number][] {
  const others = listUnique(right, span.right, length)
  const candidates: [number, number][] = []
  for (const [key, at] of listUnique(left, span.left, length)) {
    const other = others.get(key)
    if (other !== undefined && at >= 0 && other >= 0) candidates.push([at, other])
  }
  return longestRising(candidates.sort(([one], [other]) => one - other))
}

/** Where each sequence starts, -1 for those that occur more than once. */
function listUnique(items: Int32Array, [start, end]: [number, number], length: number): Map<string, number> {
  const places = new Map<string, number>()
  for (let at = start; at + length <= end; at++) {
    const key = items.subarray(at, at + length).join(' ')
    places.set(key, places.has(key) ? -1 : at)
  }
  return places
}

/** The longest subsequence whose second numbers rise. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = []
  const previous: number[] = []
  for (const [index, [, value]] of pairs.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[tails[middle]!]![1] < value) low = middle + 1
      else high = middle
    }
    previous[index] = tails[low - 1] ?? -1
    tails[low] = index
  }
  const rising: [number, number][] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at]!) rising.push(pairs[at]!)
  return rising.reverse()
}
