export interface Readability {
  flesch: number
  fk: number
  gunningFog: number
}

/** Only where the letters are those of English; the formulas say nothing of other scripts. */
export function readabilityOf(words: readonly string[], sentences: number): Readability | null {
  const english = words.filter(word => /^[a-z][a-z'’-]*$/i.test(word))
  if (english.length === 0 || english.length < words.length / 2) return null
  const syllables = english.map(syllablesOf)
  const perSentence = english.length / Math.max(1, sentences)
  const perWord = syllables.reduce((sum, count) => sum + count, 0) / english.length
  const complex = syllables.filter(count => count >= 3).length / english.length
  return {
    flesch: rounded(206.835 - 1.015 * perSentence - 84.6 * perWord),
    fk: rounded(0.39 * perSentence + 11.8 * perWord - 15.59),
    gunningFog: rounded(0.4 * (perSentence + 100 * complex)),
  }
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

/** By groups of vowels; a silent e at the end does not count. */
export function syllablesOf(word: string): number {
  const plain = word.toLowerCase().replace(/[^a-z]/g, '')
  const trimmed = plain.length > 3 ? plain.replace(/(?:[^laeiouy]es|[^dt]ed|[^laeiouy]e)$/, '') : plain
  return Math.max(1, trimmed.match(/[aeiouy]+/g)?.length ?? 1)
}
