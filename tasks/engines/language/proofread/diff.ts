interface Change {
  start: number
  end: number
  original: string
  replacement: string
}

const TOKEN = /[\p{L}\p{N}\p{M}'’-]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu
/** Beyond it, texts are compared in parts between what they have in common. */
const MAX_CELLS = 4_000_000

/** What was changed between two texts, word by word, with places in the first. */
export function diffWords(before: string, after: string): Change[] {
  const [one, other] = [before.match(TOKEN) ?? [], after.match(TOKEN) ?? []]
  const changes: Change[] = []
  let [left, right, start] = [0, 0, 0]
  const add = (leftEnd: number, rightEnd: number): void => {
    const original = one.slice(left, leftEnd).join('')
    const replacement = other.slice(right, rightEnd).join('')
    if (original !== replacement) changes.push({ start, end: start + original.length, original, replacement })
    start += original.length
    ;[left, right] = [leftEnd, rightEnd]
  }
  for (const [atLeft, atRight] of matchTokens(one, other)) {
    add(atLeft, atRight)
    start += one[atLeft]!.length
    ;[left, right] = [atLeft + 1, atRight + 1]
  }
  add(one.length, other.length)
  return changes
}

/** Pairs of equal tokens in order: as many as there are, or in long texts those of windows of a few hundred. */
function matchTokens(one: readonly string[], other: readonly string[]): [number, number][] {
  if (one.length * other.length <= MAX_CELLS) return matchWindow(one, other)
  const pairs: [number, number][] = []
  let [left, right] = [0, 0]
  while (left < one.length && right < other.length) {
    const found = matchWindow(one.slice(left, left + 1_500), other.slice(right, right + 1_500))
    // The last matches of a window may be better made in the next.
    const kept = found.slice(0, Math.max(1, Math.floor(found.length * 0.75)))
    if (kept.length === 0) return pairs
    pairs.push(...kept.map(([a, b]) => [a + left, b + right] as [number, number]))
    const [lastLeft, lastRight] = kept.at(-1)!
    ;[left, right] = [left + lastLeft + 1, right + lastRight + 1]
  }
  return pairs
}

/** The longest common sequence. */
function matchWindow(one: readonly string[], other: readonly string[]): [number, number][] {
  const width = other.length + 1
  const lengths = measureCommon(one, other)
  const pairs: [number, number][] = []
  let [a, b] = [0, 0]
  while (a < one.length && b < other.length) {
    if (one[a] === other[b]) pairs.push([a++, b++])
    else if (lengths[(a + 1) * width + b]! >= lengths[a * width + b + 1]!) a += 1
    else b += 1
  }
  return pairs
}

/** How long the common sequence is from each pair of places on. */
function measureCommon(one: readonly string[], other: readonly string[]): Uint16Array {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  for (let a = one.length - 1; a >= 0; a--)
    for (let b = other.length - 1; b >= 0; b--) {
      const [below, after] = [lengths[(a + 1) * width + b]!, lengths[a * width + b + 1]!]
      lengths[a * width + b] = one[a] === other[b] ? lengths[(a + 1) * width + b + 1]! + 1 : Math.max(below, after)
    }
  return lengths
}
