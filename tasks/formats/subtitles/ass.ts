import { detectHanVariant, EAST_ASIAN, type HanVariant, SCRIPT_TESTS } from '../words/scripts.ts'

/** How text is drawn; lengths are in pixels of the output. */
export interface TextStyle {
  /** Left out: a font for every script. */
  font?: string
  size: number
  color: string
  outlineColor: string
  outline: number
  /** A box behind the text instead of an outline. */
  box: boolean
  /** 1 to 9 as on the keys of a number pad. */
  alignment: number
  marginX: number
  marginY: number
  bold: boolean
  italic: boolean
}

interface Canvas {
  width: number
  height: number
}

const BASE_FONT = 'Noto Sans'
const FAMILIES: Record<string, string> = { Nko: 'Noto Sans NKo', Tibetan: 'Noto Serif Tibetan' }
const STYLE_FIELDS =
  'Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, ' +
  'StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding'
const EVENT_FIELDS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
/** The direction of a text follows from its letters. */
const ANY_DIRECTION = -1

interface Event {
  start: number
  end: number
  /** Commands of the format, for all of the text. */
  overrides?: string
  /** May have `<i>`, `<b>` and `<u>`. */
  text: string
}

/** Writes Advanced SubStation Alpha, which the renderer reads. Nothing of a text is taken as a command. */
export function renderAss(events: readonly Event[], style: TextStyle, { width, height }: Canvas): string {
  const han = detectHanVariant(events.map(({ text }) => text).join(''))
  const usable = width - 2 * style.marginX
  const lines = events.map(({ start, end, text, overrides = '' }) => {
    const wrapped = text.split('\n').flatMap(line => wrapLine(line, usable / style.size))
    const body = wrapped.map(line => writeLine(line, style.font === undefined ? han : undefined)).join('\\N')
    return `Dialogue: 0,${formatAssClock(start)},${formatAssClock(end)},Text,,0,0,0,,${overrides}${body}`
  })
  return [
    '[Script Info]',
    'ScriptType: v4.00+',
    `PlayResX: ${width}`,
    `PlayResY: ${height}`,
    'WrapStyle: 0',
    'ScaledBorderAndShadow: yes',
    '',
    '[V4+ Styles]',
    `Format: ${STYLE_FIELDS}`,
    `Style: ${styleValues(style).join(',')}`,
    '',
    '[Events]',
    `Format: ${EVENT_FIELDS}`,
    ...lines,
    '',
  ].join('\n')
}

function styleValues(style: TextStyle): (string | number)[] {
  const { font = BASE_FONT, size, color, outlineColor, outline, box, alignment, marginX, marginY, bold, italic } = style
  const [fill, edge] = [toAssColor(color), toAssColor(outlineColor)]
  const emphasis = [bold ? -1 : 0, italic ? -1 : 0, 0, 0]
  const border = [box ? 3 : 1, round(box ? size * 0.15 : outline), 0]
  const place = [alignment, Math.round(marginX), Math.round(marginX), Math.round(marginY)]
  return [
    'Text',
    font,
    round(size),
    fill,
    fill,
    edge,
    edge,
    ...emphasis,
    100,
    100,
    0,
    0,
    ...border,
    ...place,
    ANY_DIRECTION,
  ]
}

/** `#rrggbb` or `#rrggbbaa`, of which the last two are the opacity; here they are how transparent it is. */
export function toAssColor(color: string): string {
  const [, r, g, b, a = 'ff'] = /^#(..)(..)(..)(..)?$/.exec(color)!
  const alpha = (255 - Number.parseInt(a, 16)).toString(16).padStart(2, '0')
  return `&H${alpha}${b}${g}${r}`.toUpperCase()
}

export function formatAssClock(seconds: number): string {
  const total = Math.max(0, Math.round(seconds * 100))
  const pad = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(total / 360_000), Math.floor(total / 6000) % 60]
  return `${hours}:${pad(minutes)}:${pad(Math.floor(total / 100) % 60)}.${pad(total % 100)}`
}

/** Widths relative to the size, which is that of a line: East Asian characters are square, others half as wide. */
const WIDE = 0.7
const NARROW = 0.4
const TAG = /(<\/?[ibu]>)/
const words = new Intl.Segmenter('und', { granularity: 'word' })

/** The renderer breaks lines at spaces alone, which East Asian and some other texts do not have. */
function wrapLine(line: string, width: number): string[] {
  const plain = line.replace(/<\/?[ibu]>/g, '')
  const total = measure(plain)
  if (
    total <= width ||
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
      plain,
    )
  )
    return [line]
  const goal = total / Math.ceil(total / width)
  const lines = ['']
  let used = 0
  for (const piece of line.split(TAG).flatMap(part => (TAG.test(part) ? [part] : splitWords(part)))) {
    const length = TAG.test(piece) ? 0 : measure(piece)
    const mayBreak = used > 0 && !/^[\p{P}\s]/u.test(piece)
    if (mayBreak && (used + length > width || used >= goal)) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += piece
    used += length
  }
  return lines
}

function splitWords(text: string): string[] {
  return [...words.segment(text)].map(({ segment }) => segment)
}

function measure(text: string): number {
  let width = 0
  for (const character of text) width += EAST_ASIAN.test(character) ? WIDE : NARROW
  return width
}

function writeLine(line: string, han: HanVariant | undefined): string {
  let font = ''
  const write = (character: string) => {
    const wanted = han === undefined ? '' : findFamily(character, font, han)
    const change = wanted === font ? '' : `{\\fn${wanted}}`
    font = wanted
    return change + escapeCharacter(character)
  }
  const parts = line.split(TAG).map(part => (TAG.test(part) ? writeTag(part) : [...part].map(write).join('')))
  return parts.join('')
}

function writeTag(tag: string): string {
  return tag.startsWith('</') ? `{\\${tag[2]}}` : `{\\${tag[1]}1}`
}

/** A brace would begin commands. A backslash with an invisible joiner is only a backslash. */
function escapeCharacter(character: string): string {
  if (character === '{' || character === '}') return `\\${character}`
  return character === '\\' ? '\\\u2060' : character.replace(/[\r\n]/, ' ')
}

const COMMON = /[\p{Script=Common}\p{Script=Inherited}]/u

/** The family for a character; marks, digits and spaces have that of what comes before them. Empty is the base font. */
function findFamily(character: string, before: string, han: HanVariant): string {
  if (character <= '\u007F') return character >= 'A' ? '' : before
  if (EAST_ASIAN.test(character)) return `Noto Sans CJK ${han}`
  if (COMMON.test(character)) return before
  const script = SCRIPT_TESTS.find(({ test }) => test.test(character))
  return script ? (FAMILIES[script.name] ?? `Noto Sans ${script.name.replaceAll('_', ' ')}`) : ''
}

export function round(value: number): number {
  return Math.round(value * 100) / 100
}
