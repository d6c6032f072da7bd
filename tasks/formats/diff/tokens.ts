export const GRANULARITIES = ['lines', 'words', 'chars', 'sentences'] as const
type Granularity = (typeof GRANULARITIES)[number]

/** Splits a text into lines, each with its line end. As in a unified diff, a carriage return alone ends none. */
export function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

export function stripLineEnd(line: string): string {
  return line.replace(/\r?\n$/, '')
}

/** Splits a text into pieces that, joined, are the text again. */
export function tokenize(text: string, granularity: Granularity): string[] {
  if (granularity === 'lines') return splitLines(text)
  if (granularity === 'words') return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? []
  const level = granularity === 'chars' ? 'grapheme' : 'sentence'
  return Array.from(new Intl.Segmenter('und', { granularity: level }).segment(text), ({ segment }) => segment)
}

/** Replaces pieces of text by numbers: equal numbers for pieces that count as equal. */
export class TokenInterner {
  readonly #ids = new Map<string, number>()
  readonly #toKey: (piece: string) => string

  constructor(toKey: (piece: string) => string = piece => piece) {
    this.#toKey = toKey
  }

  intern(pieces: readonly string[]): Int32Array {
    return Int32Array.from(pieces, piece => {
      const key = this.#toKey(piece)
      const known = this.#ids.get(key) ?? this.#ids.size
      this.#ids.set(key, known)
      return known
    })
  }
}

const LINE_ENDS = ['\r\n', '\n', '\r'] as const

/** The most frequent line end. */
export function majorityLineEnd(...texts: readonly string[]): string {
  const all = texts.join('')
  const crlf = all.match(/\r\n/g)?.length ?? 0
  const lf = (all.match(/\n/g)?.length ?? 0) - crlf
  const cr = (all.match(/\r/g)?.length ?? 0) - crlf
  if (crlf > lf && crlf >= cr) return LINE_ENDS[0]
  return cr > lf ? LINE_ENDS[2] : LINE_ENDS[1]
}

export function normalizeLineEnds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}
