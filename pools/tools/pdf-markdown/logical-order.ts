import bidiFactory from 'bidi-js'
import { isRightToLeft as hasRightToLeft } from '../../../tasks/formats/words/direction.ts'
import type { Span, TextRun } from './spans.ts'

// The package declares a default export that its code does not have.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()

const PRESENTATION_FORMS = /[\ufb1d-\ufdff\ufe70-\ufefc]+/g
const OPENING = /[([{<«]/
const CLOSING = /[)\]}>»]/

interface Place {
  character: string
  run: TextRun
  isRightToLeft: boolean
}

/** A line as it is displayed, from left to right, becomes one in the order in which it is read. */
export function toLogicalOrder(line: Span, isLineRightToLeft: boolean): Span {
  if (!hasRightToLeft(line.text)) return line
  const shown = line.runs.flatMap(run => [...run.text].map(character => ({ character, run })))
  // The algorithm that orders a text for display undoes itself. It takes characters of one unit each.
  const text = shown.map(({ character }) => (character.length === 1 ? character : '\u2022')).join('')
  const levels = bidi.getEmbeddingLevels(text, isLineRightToLeft ? 'rtl' : 'ltr')
  const places = bidi
    .getReorderedIndices(text, levels)
    .map((index): Place => ({ ...shown[index]!, isRightToLeft: levels.levels[index]! % 2 === 1 }))
  const runs = joinPlaces(places)
  return { ...line, runs, text: runs.map(run => run.text).join('') }
}

function joinPlaces(places: readonly Place[]): TextRun[] {
  const isMirrored = showsGlyphs(places)
  const runs: TextRun[] = []
  let before: TextRun | undefined
  for (const { character, run, isRightToLeft } of places) {
    const text = isRightToLeft && isMirrored ? (bidi.getMirroredCharacter(character) ?? character) : character
    if (run === before) runs.at(-1)!.text += text
    else runs.push({ ...run, text })
    before = run
  }
  // The shapes that letters take within a word are written as the letters themselves.
  return runs.map(run => ({ ...run, text: run.text.replaceAll(PRESENTATION_FORMS, forms => forms.normalize('NFKC')) }))
}

/** Some programs name the brackets that are drawn, others those that were written, which are drawn as their mirrors. */
function showsGlyphs(places: readonly Place[]): boolean {
  const first = places.find(
    ({ character, isRightToLeft }) => isRightToLeft && (OPENING.test(character) || CLOSING.test(character)),
  )
  return first !== undefined && CLOSING.test(first.character)
}
