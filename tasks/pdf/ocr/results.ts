import { boxOf, type PlacedLine, type PlacedWord } from '../../formats/ocr/placed-word.ts'
import type { PageReading } from '../../formats/ocr/read-page.ts'
import type { TextPage } from '../../formats/pdf/text-layout.ts'

type Detail = 'text' | 'lines' | 'words' | 'hocr'

/** A text layer as if it had been recognized. */
export function toReading(textPage: TextPage): PageReading {
  const place = ({ text, box: [left, top, right, bottom] }: { text: string; box: readonly number[] }): PlacedWord => ({
    ...{ text, confidence: 100, angle: 0, x: left!, y: bottom! },
    ...{ width: right! - left!, height: bottom! - top! },
  })
  const lines = textPage.lines.map(line => ({ ...place(line), words: line.words.map(place) }))
  return { text: lines.map(({ text }) => text).join('\n'), confidence: 100, rotation: 0, lines }
}

export function describePage(page: number, source: 'ocr' | 'text-layer', reading: PageReading, detail: Detail) {
  const { text, confidence, rotation, lines } = reading
  return { page, text, confidence, source, rotation, ...describeDetail(lines, detail) }
}

function describeDetail(lines: readonly PlacedLine[], detail: Detail) {
  const toBox = (word: PlacedWord) => ({ text: word.text, confidence: word.confidence, box: boxOf(word) })
  if (detail === 'lines') return { lines: lines.map(toBox) }
  if (detail === 'words') return { words: lines.flatMap(({ words }) => words).map(toBox) }
  return detail === 'hocr' ? { hocr: writeHocr(lines) } : {}
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** One page in hOCR, with boxes in points from the top left corner. */
function writeHocr(lines: readonly PlacedLine[]): string {
  const escapeText = (text: string) => text.replaceAll(/[&<>"]/g, character => ENTITIES[character]!)
  const title = (word: PlacedWord) => `bbox ${boxOf(word).map(Math.round).join(' ')}`
  const rows = lines.map(line => {
    const words = line.words.map(
      word =>
        `<span class="ocrx_word" title="${title(word)}; x_wconf ${Math.round(word.confidence)}">${escapeText(word.text)}</span>`,
    )
    return `<span class="ocr_line" title="${title(line)}">${words.join(' ')}</span>`
  })
  return `<div class="ocr_page">${rows.join('\n')}</div>`
}
