import { findTables } from '../../engines/page-tables/find.ts'
import { UNIT_PAGE } from '../../formats/document/hosted.ts'
import { type PageRequest, type PageTools, readPage } from '../../formats/document/page.ts'
import { makeSendable } from '../../formats/document/sendable-page.ts'
import type { Tools } from '../../kit/operation.ts'

const METHODS = {
  auto: ['lattice', 'stream'],
  lattice: ['lattice'],
  stream: ['stream'],
  ocr: ['lattice', 'stream'],
} as const

interface Request extends PageRequest {
  mode: keyof typeof METHODS
}

type TableTools = PageTools & Pick<Tools, 'hostedTables'>

/** Reads the tables of a page by the provider of the operator, or by our own engines. */
export async function readTables({ mode, ...request }: Request, tools: TableTools) {
  const hosted = mode === 'auto' ? await readHosted(request, tools) : undefined
  if (hosted) return hosted
  const page = await readPage({ ...request, findsRulings: mode !== 'stream', ignoresLayer: mode === 'ocr' }, tools)
  return { page, found: findTables(page, METHODS[mode]), source: page.source, engine: 'local' as const, warnings: [] }
}

async function readHosted(request: PageRequest, tools: TableTools) {
  const hosted = await tools.hostedTables.read(() => makeSendable(request, tools))
  if (!hosted) return undefined
  const isSure = ({ confidence }: { confidence: number }) => confidence >= request.minConfidence
  const found = hosted.tables.map(table => ({
    ...table,
    cells: table.cells.map(cell => ({ ...cell, words: cell.words.filter(isSure) })),
  }))
  return {
    page: { ...UNIT_PAGE, lines: hosted.lines },
    found,
    source: 'model' as const,
    engine: hosted.engine,
    warnings: hosted.warnings,
  }
}
