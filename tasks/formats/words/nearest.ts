const MAX_CHARS = 64

/** The word nearest to the given one, if it is near enough to be what was meant. */
export function findNearest(given: string, words: readonly string[], divisor = 3): string | undefined {
  const [near] = words
    .map(word => ({ word, distance: measureDistance(given.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, distance }) => distance <= Math.max(1, Math.floor(word.length / divisor)))
    .sort((a, b) => a.distance - b.distance)
  return near?.word
}

/** The edit distance of two words, in which two neighbouring letters that changed places count as one mistake. */
function measureDistance(a: string, b: string): number {
  if (a.length > MAX_CHARS || b.length > MAX_CHARS) return MAX_CHARS
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = isSwapped ? before[j - 2]! + 1 : Infinity
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1))
    }
    before = row
    row = next
  }
  return row[b.length]!
}
