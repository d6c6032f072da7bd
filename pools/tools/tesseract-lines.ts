export interface ReadWord {
  text: string
  confidence: number
  /** Left, top, right, bottom, in pixels. */
  box: [number, number, number, number]
}

export interface ReadLine extends ReadWord {
  words: ReadWord[]
}

const WORD = '5'

/** Tesseract's table has a row for each page, block, paragraph, line and word; words say what line they are of. */
export function linesOf(table: string): ReadLine[] {
  const lines = new Map<string, ReadWord[]>()
  for (const row of table.split('\n').slice(1)) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...rest] = row.split('\t')
    const text = rest.join('\t').trim()
    if (level !== WORD || text === '') continue
    const [x, y] = [Number(left), Number(top)]
    const box: ReadWord['box'] = [x, y, x + Number(width), y + Number(height)]
    const key = [page, block, paragraph, line].join('.')
    const words = lines.get(key) ?? []
    words.push({ text, confidence: Math.max(0, Math.round(Number(confidence) * 10) / 10), box })
    lines.set(key, words)
  }
  return [...lines.values()].map(lineOf)
}

function lineOf(words: ReadWord[]): ReadLine {
  const sides = words.map(({ box }) => box)
  const mean = words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length
  return {
    text: words.map(({ text }) => text).reduce(joined),
    confidence: Math.round(mean * 10) / 10,
    box: [
      Math.min(...sides.map(([left]) => left)),
      Math.min(...sides.map(([, top]) => top)),
      Math.max(...sides.map(([, , right]) => right)),
      Math.max(...sides.map(([, , , bottom]) => bottom)),
    ],
    words,
  }
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Chinese and Japanese have no spaces between words. */
function joined(before: string, word: string): string {
  const isTight = UNSPACED.test(before.at(-1)!) && UNSPACED.test(word[0]!)
  return before + (isTight ? '' : ' ') + word
}
