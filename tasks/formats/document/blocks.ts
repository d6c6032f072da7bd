import type { Rect } from '../geometry/rect.ts'
import type { DocumentPage, PageLine } from './page.ts'

type BlockType = 'title' | 'heading' | 'paragraph' | 'list' | 'caption' | 'header' | 'footer' | 'page-number'

export interface TextBlock {
  type: BlockType
  /** Of a heading. */
  level?: number
  text: string
  box: Rect
  lines: PageLine[]
}

const EDGE_SHARE = 0.07
const PAGE_NUMBER = /^(?:page\s+|seite\s+|-\s*)?\d{1,4}(?:\s*(?:\/|of|von)\s*\d{1,4})?(?:\s*-)?$/i
const LIST_ITEM = /^\s*(?:[•◦▪▸‣●○■□*–-]|\(?\d{1,3}[.)]|[a-z][.)])\s+\S/
const CAPTION = /^(?:figure|fig\.|table|abbildung|abb\.|tabelle|tab\.)\s*\d+/i
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\p{Lu}/u
const MAX_HEADING_LENGTH = 120

/** Groups the lines of a page, which are in reading order, into blocks, and tells what each is. */
export function buildBlocks(page: DocumentPage): TextBlock[] {
  const body = findBodySize(page.lines)
  // In an image, the height of a line depends on its letters.
  const tolerance = page.source === 'ocr' ? 0.3 : 0.12
  const groups: PageLine[][] = []
  for (const line of page.lines) {
    const last = groups.at(-1)
    if (last && continues(last.at(-1)!, line, tolerance)) last.push(line)
    else groups.push([line])
  }
  const sizes = [...new Set(groups.map(lines => Math.round(sizeOf(lines))))].filter(size => size > body * 1.15)
  const larger = sizes.sort((a, b) => b - a)
  return groups.map(lines => describeBlock(lines, { page, body, larger }))
}

interface Measures {
  page: DocumentPage
  body: number
  /** The sizes of headings, the largest first. */
  larger: readonly number[]
}

function describeBlock(lines: PageLine[], measures: Measures): TextBlock {
  const text = lines.map(line => line.text).join(LIST_ITEM.test(lines[0]!.text) ? '\n' : ' ')
  const box = boundingBox(lines)
  return { ...classify(text, lines, box, measures), text, box, lines }
}

function classify(
  text: string,
  lines: readonly PageLine[],
  box: Rect,
  { page, body, larger }: Measures,
): Pick<TextBlock, 'type' | 'level'> {
  const rank = larger.indexOf(Math.round(sizeOf(lines)))
  const running = rank < 0 ? findRunningType(text, box, page) : undefined
  if (running) return { type: running }
  if (CAPTION.test(text)) return { type: 'caption' }
  const isShort = text.length <= MAX_HEADING_LENGTH && lines.length <= 2 && /\p{L}/u.test(text)
  const numbering = NUMBERED.exec(text)?.[1]
  if (isShort && rank === 0 && larger[0]! > body * 1.5 && box[1] < page.height / 2) return { type: 'title', level: 1 }
  if (isShort && numbering?.includes('.')) return { type: 'heading', level: numbering.split('.').length }
  if (isShort && rank >= 0) return { type: 'heading', level: Math.min(6, rank + 1) }
  return { type: LIST_ITEM.test(text) ? 'list' : 'paragraph' }
}

/** A line of the same size that begins close below the last one, in the same column, and is no item of its own. */
function continues(last: PageLine, line: PageLine, tolerance: number): boolean {
  const [size, next] = [heightOf(last), heightOf(line)]
  const gap = line.box[1] - last.box[3]
  const isNear = gap < 0.7 * Math.min(size, next) && gap > -0.6 * size
  const sharesColumn = line.box[0] < last.box[2] && line.box[2] > last.box[0]
  return (
    isNear && sharesColumn && Math.abs(size - next) < tolerance * Math.max(size, next) && !LIST_ITEM.test(line.text)
  )
}

/** What stands at the edge of a page in the size of the text belongs to the page, not to the text. */
function findRunningType(text: string, box: Rect, { height }: DocumentPage): BlockType | undefined {
  const isAtTop = box[3] < height * EDGE_SHARE
  if (!isAtTop && box[1] <= height * (1 - EDGE_SHARE)) return undefined
  if (PAGE_NUMBER.test(text.trim())) return 'page-number'
  return isAtTop ? 'header' : 'footer'
}

function heightOf({ box, words }: PageLine): number {
  const heights = words.map(word => word.box[3] - word.box[1]).sort((a, b) => a - b)
  return heights[Math.floor(heights.length / 2)] ?? box[3] - box[1]
}

function sizeOf(lines: readonly PageLine[]): number {
  return lines.reduce((sum, line) => sum + heightOf(line), 0) / lines.length
}

/** The height of most of the text. */
function findBodySize(lines: readonly PageLine[]): number {
  const characters = new Map<number, number>()
  for (const line of lines) {
    const size = Math.round(heightOf(line))
    characters.set(size, (characters.get(size) ?? 0) + line.text.length)
  }
  return [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 1
}

function boundingBox(lines: readonly PageLine[]): Rect {
  const boxes = lines.map(({ box }) => box)
  return [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
}
