import { Problem } from '#kit'

/** A line or two of text and when it is shown. The text may have `<i>`, `<b>` and `<u>`, and no other markup. */
export interface Cue {
  start: number
  end: number
  text: string
}

const MAX_CUES = 20_000
const STYLE_TAG = /^<\/?[ibu]>$/i

export function parseClock(text: string): number | undefined {
  const match = /^(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, hours = '0', minutes, seconds, fraction = '0'] = match
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(fraction.padEnd(3, '0')) / 1000
}

export function formatClock(seconds: number, separator: ',' | '.'): string {
  const total = Math.max(0, Math.round(seconds * 1000))
  const pad = (value: number, width = 2) => String(value).padStart(width, '0')
  const [hours, minutes] = [Math.floor(total / 3_600_000), Math.floor(total / 60_000) % 60]
  return `${pad(hours)}:${pad(minutes)}:${pad(Math.floor(total / 1000) % 60)}${separator}${pad(total % 1000, 3)}`
}

/** SubRip and WebVTT: blocks with a line of times. Both are read alike, because many files mix them. */
export function parseBlocks(content: string): Cue[] {
  const lines = content.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const cues: Cue[] = []
  for (let at = 0; at < lines.length; at++) {
    if (!lines[at]!.includes('-->')) continue
    const times = parseTimes(lines[at]!, at + 1)
    const text: string[] = []
    while (at + 1 < lines.length && lines[at + 1]!.trim() !== '') text.push(lines[++at]!)
    if (times.end > times.start) cues.push({ ...times, text: cleanMarkup(text.join('\n')) })
    if (cues.length > MAX_CUES) throw new Problem('SUBTITLE_PARSE_FAILED', { line: at + 1, limit: MAX_CUES })
  }
  if (cues.length === 0) throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: 'it has no line with times' })
  return cues
}

function parseTimes(text: string, line: number): { start: number; end: number } {
  const [, from = '', to = ''] = /^\s*([\d:.,]+)\s*-->\s*([\d:.,]+)/.exec(text) ?? []
  const [start, end] = [parseClock(from), parseClock(to)]
  if (start === undefined || end === undefined) throw new Problem('SUBTITLE_PARSE_FAILED', { line })
  return { start, end }
}

/** Keeps italics, bold and underline; drops classes, voices, fonts and the positions of SubRip. */
function cleanMarkup(text: string): string {
  return text
    .replace(/\{\\[^}]*\}/g, '')
    .replace(/<[^>]{0,200}>/g, tag => (STYLE_TAG.test(tag) ? tag.toLowerCase() : ''))
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ENTITIES[name]!)
    .trim()
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', nbsp: '\u00A0', lrm: '\u200E', rlm: '\u200F' }

export function stripMarkup(text: string): string {
  return text.replace(/<\/?[ibu]>/g, '')
}

export function renderSrt(cues: readonly Cue[]): string {
  return cues
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${formatClock(start, ',')} --> ${formatClock(end, ',')}\n${text}\n`,
    )
    .join('\n')
}

export function renderVtt(cues: readonly Cue[]): string {
  const escapeText = (text: string) => text.replaceAll('&', '&amp;').replace(/<(?!\/?[ibu]>)/g, '&lt;')
  const blocks = cues.map(
    ({ start, end, text }) => `${formatClock(start, '.')} --> ${formatClock(end, '.')}\n${escapeText(text)}\n`,
  )
  return `WEBVTT\n\n${blocks.join('\n')}`
}
