import type { DocumentPage } from '../../formats/document/page.ts'
import { rectsOverlap } from '../../formats/geometry/rect.ts'
import { findRuledTables } from './lattice.ts'
import { findAlignedTables } from './stream.ts'
import type { FoundCell, FoundTable, TableMethod } from './table.ts'
import { groupRows, listWords } from './text-rows.ts'

// Decision 0142: find tables by the lines of the rendered page.

const CAPTION = /^(?:table|tab\.|tabelle|tableau|tabla|tabella|tabela)\s*\d+/i
const MAX_CAPTION_GAP = 3

/** Finds the tables of a page, from top to bottom: those with lines first, then those of what is left. */
export function findTables(page: DocumentPage, methods: readonly TableMethod[]): FoundTable[] {
  const words = listWords(page.lines, page.source)
  const size = Math.max(page.width, page.height)
  const ruled = methods.includes('lattice') && page.rulings ? findRuledTables(words, page.rulings, size) : []
  const outer = ruled.filter(table => !ruled.some(other => other !== table && contains(other, table)))
  const kept = methods.includes('stream') ? outer.filter(table => !isBetterAligned(table)) : outer
  const rest = words.filter(({ box }) => !kept.some(table => rectsOverlap(table.box, box)))
  const aligned = methods.includes('stream') ? findAlignedTables(rest) : []
  return [...kept, ...aligned]
    .sort((a, b) => a.box[1] - b.box[1])
    .map(table => ({ ...table, caption: findCaption(table, page) }))
}

const MAX_MIXED = 0.3
const MIN_ALIGNED = 0.6

/**
 * Whether the lines of a table are not those of its cells, as frames, bands of colour and rules below a few rows are not:
 * its cells then have several columns of text, which can be read by their gaps.
 */
function isBetterAligned({ cells }: FoundTable): boolean {
  const words = cells.flatMap(cell => cell.words)
  const mixed = cells.reduce((sum, cell) => sum + countMixed(cell), 0)
  if (mixed <= words.length * MAX_MIXED) return false
  const aligned = findAlignedTables(words).flatMap(table => table.cells.flatMap(cell => cell.words))
  return aligned.length >= words.length * MIN_ALIGNED
}

/** The words of a cell that stand in rows with gaps as wide as those between columns. */
function countMixed(cell: FoundCell): number {
  const rows = groupRows(cell.words).filter(({ chunks, size }) =>
    chunks.some(({ box }, index) => index > 0 && box[0] - chunks[index - 1]!.box[2] > size),
  )
  return rows.reduce((sum, { chunks }) => sum + chunks.reduce((count, chunk) => count + chunk.words.length, 0), 0)
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
