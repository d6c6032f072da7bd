import { Problem } from '#kit'
import type { HunkReport } from './patch-apply-shape.ts'
import { majorityEnd } from './tokens-shape.ts'

export interface Replacement {
  find: string
  replace: string
  /** How many of them, from the start; 0 is all. Left out: there must be exactly one. */
  count?: number
}

export interface Replaced {
  text: string
  hunks: HunkReport[]
  rejects: string[]
}

/** Exact pieces of text, one replacement after the other; other line ends than the text's are no obstacle. */
export function replaceAllOf(text: string, replacements: readonly Replacement[]): Replaced {
  const end = majorityEnd(text)
  const answer: Replaced = { text, hunks: [], rejects: [] }
  for (const [index, replacement] of replacements.entries()) replaceOne(answer, index, replacement, end)
  return answer
}

function replaceOne(answer: Replaced, index: number, { find, replace, count }: Replacement, end: string): void {
  const inKind = (piece: string) => piece.replace(/\r\n|\r|\n/g, end)
  const wanted = answer.text.includes(find) ? find : inKind(find)
  const places = placesOf(answer.text, wanted, count === undefined ? 2 : count || Infinity)
  const isAmbiguous = count === undefined && places.length > 1
  if (places.length === 0 || isAmbiguous) {
    answer.hunks.push({ index, status: isAmbiguous ? 'ambiguous' : 'rejected' })
    answer.rejects.push(find)
    return
  }
  const line = answer.text.slice(0, places[0]).split(/\r\n|\r|\n/).length
  answer.text = spliced(answer.text, places, wanted.length, inKind(replace))
  if (answer.text.length > MOST_LETTERS) throw new Problem('OUTPUT_TOO_LARGE', { limit: MOST_LETTERS })
  answer.hunks.push({ index, line, offset: 0, fuzz: 0, status: 'applied' })
}

const MOST_LETTERS = 100_000_000

function placesOf(text: string, find: string, most: number): number[] {
  const places: number[] = []
  for (let at = text.indexOf(find); at >= 0 && places.length < most; at = text.indexOf(find, at + find.length)) {
    places.push(at)
  }
  return places
}

function spliced(text: string, places: number[], length: number, piece: string): string {
  const parts: string[] = []
  let from = 0
  for (const place of places) {
    parts.push(text.slice(from, place))
    from = place + length
  }
  return [...parts, text.slice(from)].join(piece)
}
