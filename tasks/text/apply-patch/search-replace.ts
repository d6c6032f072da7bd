import { Problem } from '#kit'
import { majorityLineEnd } from '../../formats/diff/tokens.ts'
import type { HunkReport } from './apply.ts'

interface Replacement {
  find: string
  replace: string
  /** How many to replace, from the start; 0 is all. Left out: there must be exactly one. */
  count?: number
}

interface Replaced {
  text: string
  hunks: HunkReport[]
  rejects: string[]
}

/** Replaces exact pieces of text, one replacement after the other. Line ends may differ from those of the text. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): Replaced {
  const end = majorityLineEnd(text)
  const answer: Replaced = { text, hunks: [], rejects: [] }
  for (const [index, replacement] of replacements.entries()) applyReplacement(answer, index, replacement, end)
  return answer
}

function applyReplacement(answer: Replaced, index: number, { find, replace, count }: Replacement, end: string): void {
  const withTextLineEnds = (piece: string) => piece.replace(/\r\n|\r|\n/g, end)
  const wanted = answer.text.includes(find) ? find : withTextLineEnds(find)
  const positions = findPositions(answer.text, wanted, count === undefined ? 2 : count || Infinity)
  const isAmbiguous = count === undefined && positions.length > 1
  if (positions.length === 0 || isAmbiguous) {
    answer.hunks.push({ index, status: isAmbiguous ? 'ambiguous' : 'rejected' })
    answer.rejects.push(find)
    return
  }
  const line = answer.text.slice(0, positions[0]).split(/\r\n|\r|\n/).length
  const piece = withTextLineEnds(replace)
  const length = answer.text.length + positions.length * (piece.length - wanted.length)
  if (length > MAX_TEXT_LENGTH) throw new Problem('OUTPUT_TOO_LARGE', { index, limit: MAX_TEXT_LENGTH, actual: length })
  answer.text = replaceAtPositions(answer.text, positions, wanted.length, piece)
  answer.hunks.push({ index, line, offset: 0, fuzz: 0, status: 'applied' })
}

const MAX_TEXT_LENGTH = 100_000_000

function findPositions(text: string, find: string, max: number): number[] {
  const positions: number[] = []
  for (let at = text.indexOf(find); at >= 0 && positions.length < max; at = text.indexOf(find, at + find.length)) {
    positions.push(at)
  }
  return positions
}

function replaceAtPositions(text: string, positions: number[], length: number, piece: string): string {
  const parts: string[] = []
  let from = 0
  for (const position of positions) {
    parts.push(text.slice(from, position))
    from = position + length
  }
  return [...parts, text.slice(from)].join(piece)
}
