const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const LEFT_TO_RIGHT = /(?![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])\p{L}/u
/** A letter with what stands on it; numbers and foreign words keep their own way. */
const PIECES =
  /[\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}.,:/'’-]*(?<=[\p{N}\p{L}])|\P{M}\p{M}*|\p{M}+/gu

/** Words of a line as they stand from left to right, in the order and spelling they are read in. */
export function readingOrder<Word extends { text: string }>(words: readonly Word[]): Word[] {
  const isTurned = words.map(({ text }) => RIGHT_TO_LEFT.test(text))
  if (!isTurned.includes(true)) return [...words]
  const spelt = words.map((word, index) => (isTurned[index] ? { ...word, text: turned(word.text) } : word))
  const foreign = words.filter(({ text }, index) => !isTurned[index] && LEFT_TO_RIGHT.test(text)).length
  const isLineTurned = isTurned.filter(Boolean).length >= foreign
  // In a line that runs to the left the foreign words run on to the right, and the other way round.
  const ordered = isLineTurned ? spelt.toReversed() : spelt
  const runsOn = ({ text }: Word) => (isLineTurned ? !RIGHT_TO_LEFT.test(text) : RIGHT_TO_LEFT.test(text))
  return withRunsTurned(ordered, runsOn)
}

function withRunsTurned<Word>(words: readonly Word[], isOfRun: (word: Word) => boolean): Word[] {
  const made: Word[] = []
  let run: Word[] = []
  for (const word of words) {
    if (isOfRun(word)) run.unshift(word)
    else {
      made.push(...run, word)
      run = []
    }
  }
  return [...made, ...run]
}

function turned(text: string): string {
  return (text.match(PIECES) ?? []).toReversed().join('')
}
