import type { PageTable } from '../../engines/page-tables/present.ts'
import { renderMarkdownTable } from '../../engines/page-tables/render.ts'
import type { TextBlock } from '../../formats/document/blocks.ts'
import { RUNNING_TYPES, renderMarkdown } from '../../formats/document/render.ts'

/** A block of a page, or a table in its place with the blocks that it holds. */
export interface Piece {
  /** The ids of its blocks. */
  blocks: string[]
  /** Of a title or a heading. */
  level?: number
  text: string
  markdown: string
}

/** The text of a page without running headers and footers, with its tables in their places. */
export function listPieces(
  blocks: readonly TextBlock[],
  tables: readonly PageTable[],
  ids: readonly string[],
): Piece[] {
  const pieces = new Map<TextBlock | PageTable, Piece>()
  for (const [index, block] of blocks.entries()) {
    const table = tables.find(candidate => isIn(block, candidate))
    const known = table && pieces.get(table)
    if (known) known.blocks.push(ids[index]!)
    else if (table || !RUNNING_TYPES.has(block.type)) pieces.set(table ?? block, describe(block, table, ids[index]!))
  }
  return [...pieces.values()].filter(({ markdown }) => markdown !== '')
}

function describe(block: TextBlock, table: PageTable | undefined, id: string): Piece {
  const blocks = [id]
  if (table) {
    const markdown = renderMarkdownTable(table)
    return { blocks, text: markdown, markdown }
  }
  const isHeading = block.type === 'title' || block.type === 'heading'
  return { blocks, ...(isHeading && { level: block.level ?? 1 }), text: block.text, markdown: renderMarkdown([block]) }
}

function isIn({ box }: TextBlock, { box: [left, top, right, bottom] }: PageTable): boolean {
  const [x, y] = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
  return x > left && x < right && y > top && y < bottom
}
