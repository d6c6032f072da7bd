import { Problem } from '#kit'
import { type Cue, parseClock } from './cue.ts'

const MAX_CUES = 20_000
const TOKEN = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[!?][^>]*>|<\/?[^<>]+>|[^<]+/g
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

interface Rates {
  frameRate: number
  tickRate: number
}

interface Element {
  name: string
  begin: number
  end: number
  closing: string
}

/** Timed Text Markup: paragraphs with times, also those of what they are in, and spans in italics or bold. */
export function parseTtml(content: string): Cue[] {
  const reader: Reader = { cues: [], stack: [], rates: { frameRate: 30, tickRate: 1 }, text: undefined }
  for (const [token] of content.matchAll(TOKEN)) {
    if (token.startsWith('</')) closeElement(reader)
    else if (/^<\w/.test(token)) openElement(reader, token)
    else if (!token.startsWith('<')) append(reader, readEntities(token.replace(/\s+/g, ' ')))
  }
  if (reader.cues.length === 0)
    throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: 'it has no paragraph with times' })
  return reader.cues
}

interface Reader {
  cues: Cue[]
  stack: Element[]
  rates: Rates
  /** Of the paragraph that is being read. */
  text: string | undefined
}

function append(reader: Reader, text: string): void {
  if (reader.text !== undefined) reader.text += text
}

function openElement(reader: Reader, token: string): void {
  const name = /^<(?:[\w.-]+:)?([\w.-]+)/.exec(token)?.[1] ?? ''
  if (name === 'tt') readRates(token, reader.rates)
  if (name === 'br') append(reader, '\n')
  if (token.endsWith('/>')) return
  const tags = name === 'span' ? readStyles(token) : []
  const times = readTimes(token, reader.stack.at(-1), reader.rates)
  const closing = tags.map(tag => `</${tag}>`).reverse()
  reader.stack.push({ name, ...times, closing: closing.join('') })
  if (name === 'p') reader.text = ''
  append(reader, tags.map(tag => `<${tag}>`).join(''))
}

function closeElement(reader: Reader): void {
  const element = reader.stack.pop()
  if (!element || reader.text === undefined) return
  if (element.name === 'p') {
    addCue(reader.cues, element, reader.text)
    reader.text = undefined
  } else append(reader, element.closing)
}

function addCue(cues: Cue[], { begin: start, end }: Element, text: string): void {
  const plain = text.replace(/ *\n */g, '\n').trim()
  if (end > start && Number.isFinite(end) && plain !== '') cues.push({ start, end, text: plain })
  if (cues.length > MAX_CUES) throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, limit: MAX_CUES })
}

function readRates(token: string, rates: Rates): void {
  const [over = 1, under = 1] = (readAttribute(token, 'frameRateMultiplier') ?? '1 1').split(/[ :]/).map(Number)
  const frameRate = Number(readAttribute(token, 'frameRate') ?? 30) * (over / under)
  rates.frameRate = frameRate > 0 ? frameRate : 30
  const tickRate = Number(readAttribute(token, 'tickRate') ?? 1)
  rates.tickRate = tickRate > 0 ? tickRate : 1
}

/** Times count from the beginning of what an element is in. */
function readTimes(token: string, parent: Element | undefined, rates: Rates): { begin: number; end: number } {
  const read = (name: string) => {
    const value = readAttribute(token, name)
    return value === undefined ? undefined : parseTime(value, rates)
  }
  const offset = parent?.begin ?? 0
  const begin = offset + (read('begin') ?? 0)
  const [end, duration] = [read('end'), read('dur')]
  const last = parent?.end ?? Infinity
  if (end !== undefined) return { begin, end: Math.min(last, offset + end) }
  return { begin, end: duration === undefined ? last : Math.min(last, begin + duration) }
}

const UNITS: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 }

function parseTime(value: string, { frameRate, tickRate }: Rates): number {
  const [, amount, unit] = /^([\d.]+)(h|ms|m|s|f|t)$/.exec(value.trim()) ?? []
  if (amount !== undefined && unit !== undefined) {
    if (unit === 'f') return Number(amount) / frameRate
    return unit === 't' ? Number(amount) / tickRate : Number(amount) * UNITS[unit]!
  }
  const [, clock, frames] = /^(\d+:\d\d:\d\d):(\d+(?:\.\d+)?)$/.exec(value.trim()) ?? []
  const seconds = parseClock(clock ?? value)
  if (seconds === undefined)
    throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: `not a time: ${value.slice(0, 40)}` })
  return seconds + (frames === undefined ? 0 : Number(frames) / frameRate)
}

function readStyles(token: string): string[] {
  const isItalic = readAttribute(token, 'fontStyle') === 'italic'
  const isBold = readAttribute(token, 'fontWeight') === 'bold'
  const isUnderlined = readAttribute(token, 'textDecoration') === 'underline'
  return [...(isItalic ? ['i'] : []), ...(isBold ? ['b'] : []), ...(isUnderlined ? ['u'] : [])]
}

function readAttribute(token: string, name: string): string | undefined {
  return new RegExp(`\\s(?:[\\w.-]+:)?${name}\\s*=\\s*["']([^"']*)["']`).exec(token)?.[1]
}

function readEntities(text: string): string {
  return text.replace(/&(#x?[\da-f]{1,7}|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
