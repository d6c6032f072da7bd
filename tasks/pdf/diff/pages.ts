/** Two pages that are compared, or one that has no counterpart. Positions among the selected pages, from 0. */
export interface PagePair {
  a: number | null
  b: number | null
}

const MIN_LIKENESS = 0.1
const EARLY_BONUS = 0.001

/**
 * Pairs the pages of two documents in order, so that their likeness is as high as possible. Unlike pages between two pairs
 * are paired one by one; what then is left has no counterpart.
 */
export function pairPages(counts: [a: number, b: number], likenessOf: (a: number, b: number) => number): PagePair[] {
  const best = scoreRests(counts, likenessOf)
  const [rows, columns] = counts
  const pairs: PagePair[] = []
  const gap: Gap = { a: [], b: [] }
  let [a, b] = [0, 0]
  while (a < rows && b < columns) {
    const [value, down, right] = [best(a, b), best(a + 1, b), best(a, b + 1)]
    if (value > down && value > right) pairs.push(...closeGap(gap), { a: a++, b: b++ })
    else if (value === right && (value !== down || columns - b > rows - a)) gap.b.push(b++)
    else gap.a.push(a++)
  }
  while (a < rows) gap.a.push(a++)
  while (b < columns) gap.b.push(b++)
  return [...pairs, ...closeGap(gap)]
}

/** The highest likeness that the pages from these positions on can have together. */
function scoreRests(
  [rows, columns]: [a: number, b: number],
  likenessOf: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const width = columns + 1
  const best = new Float32Array((rows + 1) * width)
  for (let a = rows - 1; a >= 0; a--) {
    for (let b = columns - 1; b >= 0; b--) {
      // Of pages that are equally alike, the first ones are paired.
      const likeness = likenessOf(a, b) * (1 + EARLY_BONUS / (1 + a + b))
      const paired = likeness >= MIN_LIKENESS ? likeness + best[(a + 1) * width + b + 1]! : 0
      best[a * width + b] = Math.max(paired, best[(a + 1) * width + b]!, best[a * width + b + 1]!)
    }
  }
  return (a, b) => best[a * width + b]!
}

interface Gap {
  a: number[]
  b: number[]
}

function closeGap(gap: Gap): PagePair[] {
  const length = Math.max(gap.a.length, gap.b.length)
  const pairs = Array.from({ length }, (_, at) => ({ a: gap.a[at] ?? null, b: gap.b[at] ?? null }))
  gap.a = []
  gap.b = []
  return pairs
}

/** How alike pages are by the words that were matched between them; pages without words, by `compareBare`. */
export function measureLikeness(
  matches: readonly (readonly [a: number, b: number])[],
  words: { a: readonly number[]; b: readonly number[] },
  compareBare: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const columns = words.b.length
  const counts = new Map<number, number>()
  for (const [a, b] of matches) counts.set(a * columns + b, (counts.get(a * columns + b) ?? 0) + 1)
  return (a, b) => {
    const total = words.a[a]! + words.b[b]!
    return total === 0 ? compareBare(a, b) : (2 * (counts.get(a * columns + b) ?? 0)) / total
  }
}

const EXPECTED_DIFFERENCE = 0.25

/** How alike two small grey pictures of pages are. */
export function compareThumbnails(one: Uint8Array | undefined, other: Uint8Array | undefined): number {
  if (!one || !other) return 0
  const sum = one.reduce((total, level, at) => total + Math.abs(level - other[at]!), 0)
  return Math.max(0, 1 - sum / (one.length * 255) / EXPECTED_DIFFERENCE)
}
