const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u
const LEFT_TO_RIGHT = /(?![\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}])\p{L}/u
const HAS_DIRECTION = /[\p{L}\p{N}]/u
/** A character with its combining marks. Numbers and left-to-right words are kept as one. */
const CHARACTER_CLUSTERS =
  /[\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}][\p{N}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}.,:/'’-]*(?<=[\p{N}\p{L}])|\P{M}\p{M}*|\p{M}+/gu

/** Sorts the words of a line, given from left to right, into reading order, and corrects their spelling. */
export function toReadingOrder<Word extends { text: string }>(words: readonly Word[]): Word[] {
  const isRightToLeft = words.map(({ text }) => RIGHT_TO_LEFT.test(text))
  if (!isRightToLeft.includes(true)) return [...words]
  const spelled = words.map((word, index) =>
    isRightToLeft[index] ? { ...word, text: reverseCharacters(word.text) } : word,
  )
  const leftToRightCount = words.filter(({ text }, index) => !isRightToLeft[index] && LEFT_TO_RIGHT.test(text)).length
  const isLineRightToLeft = isRightToLeft.filter(Boolean).length >= leftToRightCount
  // Words of the opposite direction keep their own order within the line.
  const ordered = isLineRightToLeft ? spelled.toReversed() : spelled
  const isOppositeDirection = ({ text }: Word) =>
    RIGHT_TO_LEFT.test(text) ? !isLineRightToLeft : isLineRightToLeft && HAS_DIRECTION.test(text)
  return reverseRuns(ordered, isOppositeDirection, ({ text }) => !HAS_DIRECTION.test(text))
}

/** Words without a direction, such as brackets, go with the words on both sides of them, or else with the line. */
function reverseRuns<Word>(
  words: readonly Word[],
  isInRun: (word: Word) => boolean,
  isNeutral: (word: Word) => boolean,
): Word[] {
  const result: Word[] = []
  let run: Word[] = []
  let between: Word[] = []
  const endRun = () => {
    result.push(...run, ...between)
    run = []
    between = []
  }
  for (const word of words) {
    if (isInRun(word)) {
      run = [word, ...between.toReversed(), ...run]
      between = []
    } else if (run.length > 0 && isNeutral(word)) between.push(word)
    else {
      endRun()
      result.push(word)
    }
  }
  endRun()
  return result
}

function reverseCharacters(text: string): string {
  return (text.match(CHARACTER_CLUSTERS) ?? []).toReversed().join('')
}
