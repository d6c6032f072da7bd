import { readingOrder } from './reading-order.ts'

export type Box = [left: number, top: number, right: number, bottom: number]

export interface LaidWord {
  text: string
  box: Box
}

export interface LaidLine extends LaidWord {
  words: LaidWord[]
}

export interface LaidPage {
  width: number
  height: number
  /** In reading order. */
  lines: LaidLine[]
}

const TAGS = /<(page|line|word)\s([^>]*)>(?:([^<]*)<\/word>)?/g
const SIDES = ['xMin', 'yMin', 'xMax', 'yMax']

/** Reads what `pdftotext -bbox-layout` writes: one program's fixed form, not any XML. */
export function pagesWithBoxes(xml: string): LaidPage[] {
  const pages: LaidPage[] = []
  for (const [, tag, attributes = '', text = ''] of xml.matchAll(TAGS)) {
    if (tag === 'page')
      pages.push({ width: numberOf(attributes, 'width'), height: numberOf(attributes, 'height'), lines: [] })
    const page = pages.at(-1)
    if (tag === 'line') page?.lines.push({ text: '', box: boxOf(attributes), words: [] })
    const line = page?.lines.at(-1)
    if (tag === 'word') line?.words.push({ text: plain(text), box: boxOf(attributes) })
  }
  for (const line of pages.flatMap(({ lines }) => lines)) {
    line.words = readingOrder(line.words)
    line.text = line.words.map(({ text }) => text).join(' ')
  }
  return pages
}

function boxOf(attributes: string): Box {
  return SIDES.map(side => numberOf(attributes, side)) as Box
}

function numberOf(attributes: string, name: string): number {
  const found = new RegExp(`\\b${name}="(-?[\\d.]+)"`).exec(attributes)
  return found ? Math.round(Number(found[1]) * 100) / 100 : 0
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[name] ?? whole
    return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
  })
}
