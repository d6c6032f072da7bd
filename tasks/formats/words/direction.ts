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
