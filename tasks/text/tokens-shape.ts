import { Problem } from '#kit'

export const GRANULARITIES = ['lines', 'words', 'chars', 'sentences'] as const
export type Granularity = (typeof GRANULARITIES)[number]

/** Each line with its end. */
export function linesOf(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? []
}

export function bare(line: string): string {
  return line.replace(/(?:\r\n|\r|\n)$/, '')
}

/** The pieces of a text, which put together are the text again. */
export function piecesOf(text: string, granularity: Granularity): string[] {
  if (granularity === 'lines') return linesOf(text)
  if (granularity === 'words') return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? []
  const level = granularity === 'chars' ? 'grapheme' : 'sentence'
  return Array.from(new Intl.Segmenter('und', { granularity: level }).segment(text), ({ segment }) => segment)
}

/** Texts as numbers: the same number for pieces that count as the same. */
export class Numbering {
  private readonly numbers = new Map<string, number>()
  private readonly keyOf: (piece: string) => string

  constructor(keyOf: (piece: string) => string = piece => piece) {
    this.keyOf = keyOf
  }

  number(pieces: readonly string[]): Int32Array {
    return Int32Array.from(pieces, piece => {
      const key = this.keyOf(piece)
      const known = this.numbers.get(key) ?? this.numbers.size
      this.numbers.set(key, known)
      return known
    })
  }
}

const LINE_ENDS = ['\r\n', '\n', '\r'] as const

/** The line end most lines have. */
export function majorityEnd(...texts: readonly string[]): string {
  const all = texts.join('')
  const crlf = all.match(/\r\n/g)?.length ?? 0
  const lf = (all.match(/\n/g)?.length ?? 0) - crlf
  const cr = (all.match(/\r/g)?.length ?? 0) - crlf
  if (crlf > lf && crlf >= cr) return LINE_ENDS[0]
  return cr > lf ? LINE_ENDS[2] : LINE_ENDS[1]
}

export function withPlainEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

const MOST_DEPTH = 200

/** Reads JSON whose numbers are written again exactly as they stood. */
export function parseJson(text: string, hints: object = {}): unknown {
  if (depthOf(text) > MOST_DEPTH)
    throw new Problem('JSON_PARSE_FAILED', { ...hints, detail: `deeper than ${MOST_DEPTH}` })
  try {
    return JSON.parse(text, keepNumber as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    throw new Problem('JSON_PARSE_FAILED', { ...hints, detail: (error as Error).message.slice(0, 200) })
  }
}

interface ExactJson {
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): boolean
}
const exact = JSON as unknown as ExactJson

function keepNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined || String(value) === context.source) return value
  return exact.rawJSON(context.source)
}

/** Counted without recursion, before anything recurses. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0]
  for (const { 0: mark } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if (mark === '[' || mark === '{') most = Math.max(most, ++depth)
    else if (mark === ']' || mark === '}') depth--
  }
  return most
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRawJSON(value)
}

/** With the keys of every object in order, so that the same content is the same text. */
export function sortedJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedJson)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map(key => [key, sortedJson(value[key])]))
}

export function sameJson(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(sortedJson(left)) === JSON.stringify(sortedJson(right))
}

/** As the text was written: its indentation, and the line end after it. */
export function writeJson(value: unknown, like: string): string {
  const indent = /^[[{]\r?\n([ \t]+)/.exec(like.trimStart())?.[1] ?? ''
  return `${JSON.stringify(value, null, indent)}${/\n\s*$/.test(like) ? '\n' : ''}`
}
