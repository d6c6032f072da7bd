const MAX_WORD_LENGTH = 64
/** Letters, marks, digits and symbols; symbols so that a text of emoji has words too. */
const RUNS = /[\p{L}\p{M}\p{N}\p{S}]+/gu
/** Scripts that put no space between words. Their runs are cut into pairs of characters. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu

/** The words of a text in order, in the form in which they are compared. */
export function listWords(text: string): string[] {
  const words: string[] = []
  const folded = text.normalize('NFKC').toLowerCase()
  // Most texts have no such script, and looking for it in each run takes longer than all else.
  const isSpaced = folded.search(UNSPACED) < 0
  for (const [run] of folded.matchAll(RUNS)) {
    if (isSpaced) {
      words.push(cut(run))
      continue
    }
    let end = 0
    for (const match of run.matchAll(UNSPACED)) {
      if (match.index > end) words.push(cut(run.slice(end, match.index)))
      words.push(...listPairs(match[0]))
      end = match.index + match[0].length
    }
    if (end < run.length) words.push(cut(run.slice(end)))
  }
  return words
}

/** A character that the end would cut in half is replaced. */
function cut(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).toWellFormed()
}

function listPairs(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, index) => characters[index]! + character)
}

/** How often each word occurs. */
export function countWords(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
