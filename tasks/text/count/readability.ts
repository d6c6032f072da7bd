export interface Readability {
  flesch: number
  fk: number
  gunningFog: number
}

/** Null if most words are not in the English alphabet, because the formulas do not apply to other scripts. */
export function computeReadability(words: readonly string[], sentences: number): Readability | null {
  const english = words.filter(word => /^[a-z][a-z'’-]*$/i.test(word))
  if (english.length === 0 || english.length < words.length / 2) return null
  const syllables = english.map(countSyllables)
  const perSentence = english.length / Math.max(1, sentences)
  const perWord = syllables.reduce((sum, count) => sum + count, 0) / english.length
  const complex = syllables.filter(count => count >= 3).length / english.length
  return {
    flesch: roundToTenth(206.835 - 1.015 * perSentence - 84.6 * perWord),
    fk: roundToTenth(0.39 * perSentence + 11.8 * perWord - 15.59),
    gunningFog: roundToTenth(0.4 * (perSentence + 100 * complex)),
  }
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}

/** Counts groups of vowels, except for a silent e at the end. */
export function countSyllables(word: string): number {
  const plain = word.toLowerCase().replace(/[^a-z]/g, '')
  const trimmed = plain.length > 3 ? plain.replace(/(?:[^laeiouy]es|[^dt]ed|[^laeiouy]e)$/, '') : plain
  return Math.max(1, trimmed.match(/[aeiouy]+/g)?.length ?? 1)
}
