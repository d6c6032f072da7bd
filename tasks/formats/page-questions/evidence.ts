import type { DocumentPage } from '../document/page.ts'
import type { Rect } from '../geometry/rect.ts'

interface Evidence {
  /** As the page has it. */
  quote: string
  box: Rect
  confidence: number
}

type PageWord = DocumentPage['lines'][number]['words'][number]

/** Finds words on a page, whatever the spaces, dashes and quotation marks between them. */
export function createFinder(page: DocumentPage): (quote: string) => Evidence | undefined {
  const words = page.lines.flatMap(line => (line.words.length > 0 ? line.words : [line]))
  let text = ''
  const starts = words.map(word => {
    const start = text.length
    text += fold(word.text)
    return start
  })
  return quote => {
    const folded = fold(quote)
    const at = folded === '' ? -1 : text.indexOf(folded)
    if (at < 0) return undefined
    const end = at + folded.length
    const covered = words.filter((word, index) => {
      const start = starts[index]!
      return start < end && start + fold(word.text).length > at
    })
    return describe(covered)
  }
}

function describe(words: readonly PageWord[]): Evidence {
  const boxes = words.map(({ box }) => box)
  const box: Rect = [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / words.length
  return { quote: words.map(({ text }) => text).join(' '), box, confidence }
}

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Pd}/gu, '-')
    .replaceAll(/[\p{Pi}\p{Pf}"'`´]/gu, '')
    .replaceAll(/[\s\p{Cf}]/gu, '')
}
