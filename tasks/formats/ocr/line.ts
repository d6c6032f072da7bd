import type { Rect } from '../geometry/rect.ts'

interface Word {
  text: string
  confidence: number
  box: Rect
}

/** Words that stand beside each other, as a line. */
export function buildLine<Each extends Word>(words: Each[]) {
  const boxes = words.map(({ box }) => box)
  const mean = words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length
  const box: Rect = [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
  return { text: words.map(({ text }) => text).reduce(joinWords), confidence: Math.round(mean * 10) / 10, box, words }
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Chinese and Japanese are written without spaces. */
function joinWords(before: string, word: string): string {
  const isUnspaced = UNSPACED.test(before.at(-1)!) && UNSPACED.test(word[0]!)
  return before + (isUnspaced ? '' : ' ') + word
}
