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

type Kind = (text: string) => boolean
const isLeftToRight: Kind = text => /\p{L}/u.test(text) && !isRightToLeft(text)

/** Words of one line, given from left to right, in the order in which they are read. */
export function toReadingOrder<Word extends { text: string }>(words: readonly Word[]): Word[] {
  const isLineRightToLeft = findRightToLeft(words.map(({ text }) => text)) === true
  return isLineRightToLeft ? reverseRuns([...words].reverse(), isLeftToRight) : reverseRuns(words, isRightToLeft)
}

/** Turns each run of words of one direction around. Numbers between two of them belong to it. */
function reverseRuns<Word extends { text: string }>(words: readonly Word[], isOfRun: Kind): Word[] {
  const ordered: Word[] = []
  for (let at = 0; at < words.length; ) {
    const end = findRunEnd(words, at, isOfRun)
    ordered.push(...words.slice(at, end).reverse())
    at = end
  }
  return ordered
}

function findRunEnd(words: readonly { text: string }[], start: number, isOfRun: Kind): number {
  let end = start + 1
  if (!isOfRun(words[start]!.text)) return end
  for (let at = end; at < words.length; at++) {
    const { text } = words[at]!
    if (isOfRun(text)) end = at + 1
    else if (/\p{L}/u.test(text)) break
  }
  return end
}
