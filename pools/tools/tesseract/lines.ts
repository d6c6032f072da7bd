import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import { buildLine } from '../../../tasks/formats/ocr/line.ts'

interface RecognizedWord {
  text: string
  confidence: number
  /** Pixels. */
  box: Rect
}

export interface RecognizedLine extends RecognizedWord {
  words: RecognizedWord[]
}

const WORD_LEVEL = '5'

/** Tesseract's table has a row per page, block, paragraph, line and word. The rows of words name their line. */
export function parseLines(table: string): RecognizedLine[] {
  const lines = new Map<string, RecognizedWord[]>()
  for (const row of table.split('\n').slice(1)) {
    const [level, page, block, paragraph, line, , left, top, width, height, confidence, ...rest] = row.split('\t')
    const text = rest.join('\t').trim()
    if (level !== WORD_LEVEL || text === '') continue
    const [x, y] = [Number(left), Number(top)]
    const box: Rect = [x, y, x + Number(width), y + Number(height)]
    const key = [page, block, paragraph, line].join('.')
    const words = lines.get(key) ?? []
    words.push({ text, confidence: Math.max(0, Math.round(Number(confidence) * 10) / 10), box })
    lines.set(key, words)
  }
  return [...lines.values()].map(buildLine)
}
