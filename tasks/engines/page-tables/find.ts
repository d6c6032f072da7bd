import type { DocumentPage } from '../../formats/document/page.ts'
import { rectsOverlap } from '../../formats/geometry/rect.ts'
import { findRuledTables } from './lattice.ts'
import { findAlignedTables } from './stream.ts'
import type { FoundTable, TableMethod } from './table.ts'
import { listWords } from './text-rows.ts'

const CAPTION = /^(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*\d+/i
const MAX_CAPTION_GAP = 3

/** Finds the tables of a page, from top to bottom: those with lines first, then those of what is left. */
export function findTables(page: DocumentPage, methods: readonly TableMethod[]): FoundTable[] {
  const words = listWords(page.lines, page.source)
  const size = Math.max(page.width, page.height)
  const ruled = methods.includes('lattice') && page.rulings ? findRuledTables(words, page.rulings, size) : []
  const outer = ruled.filter(table => !ruled.some(other => other !== table && contains(other, table)))
  const rest = words.filter(({ box }) => !outer.some(table => rectsOverlap(table.box, box)))
  const aligned = methods.includes('stream') ? findAlignedTables(rest) : []
  return [...outer, ...aligned]
    .sort((a, b) => a.box[1] - b.box[1])
    .map(table => ({ ...table, caption: findCaption(table, page) }))
}

/** Of tables inside each other, the outer one has the cells of the inner one too. */
function contains({ box: outer, cells }: FoundTable, { box: inner, cells: innerCells }: FoundTable): boolean {
  const isInside = outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
  return isInside && cells.length >= innerCells.length
}

function findCaption({ box }: FoundTable, { lines }: DocumentPage): string | undefined {
  return lines.find(line => {
    const height = line.box[3] - line.box[1]
    const gap = Math.max(box[1] - line.box[3], line.box[1] - box[3])
    return CAPTION.test(line.text) && gap > -height && gap < MAX_CAPTION_GAP * height
  })?.text
}
