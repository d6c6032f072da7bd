import { isRightToLeft, orderForReading } from '../../../tasks/formats/words/direction.ts'

/** A character with its combining marks. Numbers and left-to-right words are kept as one. */
const CHARACTER_CLUSTERS =
  /[\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}.,:/'’-]*(?<=[\p{N}\p{L}])|\P{M}\p{M}*|\p{M}+/gu

/** Sorts the words of a line, given from left to right, into reading order, and corrects their spelling. */
export function toReadingOrder<Word extends { text: string }>(words: readonly Word[]): Word[] {
  const lettered = words.filter(({ text }) => /\p{L}/u.test(text))
  const count = lettered.filter(({ text }) => isRightToLeft(text)).length
  if (count === 0) return [...words]
  const spelled = words.map(word => (isRightToLeft(word.text) ? { ...word, text: reverseCharacters(word.text) } : word))
  return orderForReading(spelled, count * 2 >= lettered.length)
}

function reverseCharacters(text: string): string {
  return (text.match(CHARACTER_CLUSTERS) ?? []).toReversed().join('')
}
