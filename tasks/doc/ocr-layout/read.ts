import { findTables } from '../../engines/page-tables/find.ts'
import type { FoundTable } from '../../engines/page-tables/table.ts'
import type { HostedText } from '../../formats/document/hosted.ts'
import { type DocumentPage, type PageRequest, type PageTools, readPage } from '../../formats/document/page.ts'
import { makeSendable } from '../../formats/document/sendable-page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import type { Size } from '../../formats/geometry/region.ts'
import type { Tools } from '../../kit/operation.ts'

type LayoutTools = PageTools & Pick<Tools, 'hostedTables' | 'hostedText'>

/** Reads a page, and its tables if its rulings are wanted, by the provider of the operator or by our own engines. */
export async function readLayout(request: PageRequest, tools: LayoutTools) {
  const hosted = await readHosted(request, tools)
  if (hosted) return hosted
  const page = await readPage(request, tools)
  const tables = request.findsRulings && findTables(page, ['lattice', 'stream'])
  return { page, engine: 'local' as const, warnings: [], ...(tables && { tables }) }
}

async function readHosted(request: PageRequest, tools: LayoutTools) {
  const prepare = () => makeSendable(request, tools)
  const found = request.findsRulings ? await tools.hostedTables.read(prepare) : undefined
  const hosted = request.findsRulings ? found : await tools.hostedText.read(prepare)
  if (!hosted) return undefined
  const tables = found?.tables.map(table => scaleTable(table, found.original))
  const { engine, warnings } = hosted
  return { page: placePage(hosted, request.minConfidence), engine, warnings, ...(tables && { tables }) }
}

/** What a provider read, as a page of that size. */
function placePage({ lines, original }: HostedText & { original: Size }, minConfidence: number): DocumentPage {
  const scale = <Placed extends { box: Rect }>(placed: Placed) => ({ ...placed, box: scaleRect(placed.box, original) })
  const placed = lines
    .filter(({ confidence }) => confidence >= minConfidence)
    .map(line => ({ ...scale(line), words: line.words.map(scale) }))
  return { ...original, lines: placed, source: 'ocr', rotation: 0, languages: [] }
}

function scaleTable(table: FoundTable, size: Size): FoundTable {
  const cells = table.cells.map(cell => ({
    ...cell,
    box: scaleRect(cell.box, size),
    words: cell.words.map(word => ({ ...word, box: scaleRect(word.box, size) })),
  }))
  return { ...table, box: scaleRect(table.box, size), cells }
}

function scaleRect([left, top, right, bottom]: Rect, { width, height }: Size): Rect {
  return [left * width, top * height, right * width, bottom * height]
}
