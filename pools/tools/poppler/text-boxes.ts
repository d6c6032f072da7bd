import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import type { TextPage } from '../../../tasks/formats/pdf/text-layout.ts'
import { toReadingOrder } from '../pdf-markdown/reading-order.ts'

const TAGS = /<(page|line|word)\s([^>]*)>(?:([^<]*)<\/word>)?/g
const SIDES = ['xMin', 'yMin', 'xMax', 'yMax']

/**
 * Parses the output of `pdftotext -bbox-layout`. It has a fixed form, so a full XML parser is not needed. `facts` is what
 * `pdfinfo` prints of the same pages.
 */
export function parseTextBoxes(xml: string, facts: string): TextPage[] {
  const pages: TextPage[] = []
  const rotations = [...facts.matchAll(/^Page\s+\d+ rot:\s+(\d+)/gm)].map(([, degrees]) => Number(degrees))
  for (const [, tag, attributes = '', text = ''] of xml.matchAll(TAGS)) {
    if (tag === 'page') pages.push(openPage(attributes, rotations[pages.length]))
    const page = pages.at(-1)
    if (tag === 'line') page?.lines.push({ text: '', box: readBox(attributes), words: [] })
    const line = page?.lines.at(-1)
    if (tag === 'word') line?.words.push({ text: decodeEntities(text), box: readBox(attributes) })
  }
  for (const line of pages.flatMap(({ lines }) => lines)) {
    line.words = toReadingOrder(line.words)
    line.text = line.words.map(({ text }) => text).join(' ')
  }
  return pages
}

function openPage(attributes: string, rotation = 0): TextPage {
  const [across, down] = [readNumber(attributes, 'width'), readNumber(attributes, 'height')]
  const lies = rotation % 180 !== 0
  return { width: lies ? down : across, height: lies ? across : down, lines: [] }
}

function readBox(attributes: string): Rect {
  return SIDES.map(side => readNumber(attributes, side)) as unknown as Rect
}

function readNumber(attributes: string, name: string): number {
  const found = new RegExp(`\\b${name}="(-?[\\d.]+)"`).exec(attributes)
  return found ? Math.round(Number(found[1]) * 100) / 100 : 0
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
}
