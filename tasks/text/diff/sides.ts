import type { InputFile } from '#kit'
import { readTextFile } from '../../formats/charsets/read-text.ts'
import { parseJson, sortKeys } from '../../formats/diff/json.ts'
import { answerJsonPatch, normalizeJsonLine } from './json.ts'

/** Reads both sides; JSON with sorted keys, and with the patch between them. */
export async function readBoth({ a, b }: { a: InputFile; b: InputFile }, isJson: boolean) {
  const [left, right] = [await readTextFile(a), await readTextFile(b)]
  const warnings = [...(left.warnings ?? []), ...(right.warnings ?? [])]
  if (!isJson) return { texts: [left.text, right.text], warnings }
  const [from, to] = [parseJson(left.text, { field: 'a' }), parseJson(right.text, { field: 'b' })]
  const texts = [from, to].map(value => `${JSON.stringify(sortKeys(value), null, 2)}\n`)
  const { warnings: ofPatch, ...patch } = answerJsonPatch(from, to)
  return { texts, warnings: [...warnings, ...ofPatch], patch }
}

interface Comparison {
  granularity: string
  ignoreCase: boolean
  ignoreWhitespace: boolean
}

/** What a piece is compared by. */
export function createKeyFunction({ granularity, ignoreCase, ignoreWhitespace }: Comparison) {
  return (given: string) => {
    const piece = granularity === 'json' ? normalizeJsonLine(given) : given
    const key = ignoreWhitespace ? piece.replace(/\s+/g, ' ').trim() : piece
    return ignoreCase ? key.toLowerCase() : key
  }
}
