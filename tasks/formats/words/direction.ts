const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u

export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}

/** Whether most words are written from right to left; undefined if neither direction has more. */
export function findRightToLeft(texts: readonly string[]): boolean | undefined {
  const words = texts.flatMap(text => text.split(/\s+/)).filter(word => /\p{L}/u.test(word))
  const count = words.filter(isRightToLeft).length
  return count * 2 === words.length ? undefined : count * 2 > words.length
}

const LETTER = /\p{L}/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const isLeftToRight = (text: string) => LETTER.test(text) && !isRightToLeft(text)

/**
 * Words of one line, given from left to right, in the order in which they are read. Those of the other direction than the
 * line has keep their own order, with the numbers and signs among them.
 */
export function orderForReading<Word extends { text: string }>(
  words: readonly Word[],
  isLineRightToLeft: boolean,
): Word[] {
  const isOfLine = isLineRightToLeft ? isRightToLeft : isLeftToRight
  const isOpposite = isLineRightToLeft ? isLeftToRight : isRightToLeft
  // A number beside Latin words in an Arabic line is one of them, and in a Latin line beside Arabic words one of the line.
  const isEdge = isLineRightToLeft ? (text: string) => LETTER_OR_DIGIT.test(text) : isRightToLeft
  const ordered: Word[] = []
  let stretch: Word[] = []
  const endStretch = () => {
    ordered.push(...(stretch.some(({ text }) => isOpposite(text)) ? reverseWithin(stretch, isEdge) : stretch))
    stretch = []
  }
  for (const word of isLineRightToLeft ? words.toReversed() : words) {
    if (!isOfLine(word.text)) stretch.push(word)
    else {
      endStretch()
      ordered.push(word)
    }
  }
  endStretch()
  return ordered
}

/** Turns the words around from the first to the last edge. */
function reverseWithin<Word extends { text: string }>(
  words: readonly Word[],
  isEdge: (text: string) => boolean,
): Word[] {
  const start = words.findIndex(({ text }) => isEdge(text))
  const end = words.findLastIndex(({ text }) => isEdge(text)) + 1
  return [...words.slice(0, start), ...words.slice(start, end).reverse(), ...words.slice(end)]
}
