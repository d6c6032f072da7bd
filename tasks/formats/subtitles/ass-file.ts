import { Problem } from '#kit'
import { formatAssClock, round, toAssColor } from './ass.ts'

// Texts on videos are one file that libass renders, with a font for each script: no character of a caller is part of a
// filter. Emoji are in one colour, because libass draws outlines only.

/** What a caller changes about all styles of a file; lengths are in percent of the size of its page. */
export interface StyleChanges {
  font?: string
  size?: number
  color?: string
  outlineColor?: string
  outline?: number
  box?: boolean
  position?: 'bottom' | 'top' | 'middle'
  marginPct?: number
  bold?: boolean
  italic?: boolean
}

export interface EmbeddedFont {
  name: string
  bytes: Uint8Array
}

interface Changes {
  offsetSeconds: number
  style: StyleChanges
  fonts: readonly EmbeddedFont[]
}

interface Page {
  width: number
  height: number
}

/** The page of a file that does not say how large it is. */
const USUAL_PAGE = { width: 384, height: 288 }

/** Shifts the times of (Advanced) SubStation Alpha, changes its styles and adds fonts. */
export function editAss(content: string, { offsetSeconds, style, fonts }: Changes): string {
  const lines = content.split(/\r\n|\n|\r/)
  const page = readPage(content)
  let section = ''
  let fields: string[] = []
  let dialogues = 0
  const edited = lines.flatMap((line, index) => {
    const [, name] = /^\s*\[([^\]]+)\]/.exec(line) ?? []
    if (name !== undefined) {
      section = name.toLowerCase()
      fields = []
      return [line]
    }
    const [, key = '', value = ''] = /^\s*([A-Za-z]+):\s*(.*)$/.exec(line) ?? []
    if (key === 'Format') fields = value.split(',').map(field => field.trim().toLowerCase())
    if (key === 'Style' && section.includes('styles'))
      return [`Style: ${changeStyle(fields, value, style, page, section)}`]
    if (key !== 'Dialogue' || section !== 'events') return [line]
    dialogues += 1
    return shiftDialogue(fields, value, offsetSeconds, index + 1)
  })
  if (dialogues === 0) throw new Problem('SUBTITLE_PARSE_FAILED', { line: 1, detail: 'it has no line of dialogue' })
  return [...edited, ...fonts.flatMap(writeFont), ''].join('\n')
}

function readPage(content: string): Page {
  const read = (name: string) => Number(new RegExp(`^\\s*${name}:\\s*(\\d+)`, 'im').exec(content)?.[1] ?? 0)
  const [width, height] = [read('PlayResX'), read('PlayResY')]
  return width > 0 && height > 0 ? { width, height } : USUAL_PAGE
}

const EVENT_FIELDS = ['layer', 'start', 'end', 'style', 'name', 'marginl', 'marginr', 'marginv', 'effect', 'text']

function shiftDialogue(format: readonly string[], value: string, offset: number, line: number): string[] {
  const fields = format.length > 0 ? format : EVENT_FIELDS
  const values = value.split(',')
  const places = [fields.indexOf('start'), fields.indexOf('end')]
  const [start, end] = places.map(at => parseAssClock(values[at]))
  if (start === undefined || end === undefined || values.length < fields.length)
    throw new Problem('SUBTITLE_PARSE_FAILED', { line })
  if (end + offset <= 0) return []
  values[places[0]!] = formatAssClock(start + offset)
  values[places[1]!] = formatAssClock(end + offset)
  return [`Dialogue: ${values.join(',')}`]
}

function parseAssClock(text = ''): number | undefined {
  const [, hours, minutes, seconds] = /^\s*(\d+):(\d{1,2}):(\d{1,2}(?:[.:]\d+)?)\s*$/.exec(text) ?? []
  if (hours === undefined) return undefined
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds!.replace(':', '.'))
}

/** The older format counts the places of a text differently. */
const PLACES = { bottom: { new: 2, old: 2 }, middle: { new: 5, old: 10 }, top: { new: 8, old: 6 } }

function changeStyle(
  fields: readonly string[],
  value: string,
  style: StyleChanges,
  page: Page,
  section: string,
): string {
  const values = value.split(',').map(part => part.trim())
  const own = Number(values[fields.indexOf('fontsize')] ?? 18)
  for (const [names, change] of listChanges(style, page, own, section === 'v4 styles' ? 'old' : 'new')) {
    const at = fields.findIndex(field => names.includes(field))
    if (change !== undefined && at >= 0) values[at] = String(change)
  }
  return values.join(',')
}

/** What each field becomes, by its names in either version of the format. */
function listChanges(style: StyleChanges, page: Page, ownSize: number, version: 'old' | 'new') {
  const { size, outline, box, position, marginPct, bold, italic, color, outlineColor } = style
  const scale = <Value>(value: Value | undefined, change: (value: Value) => string | number) =>
    value === undefined ? undefined : change(value)
  const height = scale(size, value => round((value / 100) * Math.min(page.width, page.height)))
  const changes: [names: string[], change: string | number | undefined][] = [
    [['fontname'], style.font],
    [['fontsize'], height],
    [['primarycolour'], scale(color, toAssColor)],
    [['outlinecolour', 'tertiarycolour'], scale(outlineColor, toAssColor)],
    [['outline'], scale(outline, value => round((value / 100) * Number(height ?? ownSize)))],
    [['borderstyle'], scale(box, value => (value ? 3 : 1))],
    [['alignment'], scale(position, value => PLACES[value][version])],
    [['marginv'], scale(marginPct, value => Math.round((value / 100) * page.height))],
    [['bold'], scale(bold, value => (value ? -1 : 0))],
    [['italic'], scale(italic, value => (value ? -1 : 0))],
  ]
  return changes
}

const LINE_CHARS = 80

/** Three bytes become four characters from `!` on. */
function writeFont({ name, bytes }: EmbeddedFont, index: number): string[] {
  const characters: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const left = Math.min(3, bytes.length - at)
    const value = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    const group = [value >> 18, (value >> 12) & 63, (value >> 6) & 63, value & 63].slice(0, left + 1)
    characters.push(...group.map(bits => String.fromCharCode(bits + 33)))
  }
  const text = characters.join('')
  const rows = Array.from({ length: Math.ceil(text.length / LINE_CHARS) }, (_, row) =>
    text.slice(row * LINE_CHARS, (row + 1) * LINE_CHARS),
  )
  return [...(index === 0 ? ['', '[Fonts]'] : []), `fontname: ${name.replace(/[^\w.-]/g, '_')}`, ...rows]
}
