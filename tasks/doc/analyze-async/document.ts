import type { Tools } from '../../kit/operation.ts'
import type { describeTable } from '../schema.ts'
import { pageName } from './pages.ts'

type Table = ReturnType<typeof describeTable>

/** A table of the document, which may go on over several pages. */
interface DocumentTable extends Omit<Table, 'box'> {
  pages: number[]
}

interface SavedPage {
  page: number
  status: 'ok' | 'failed'
  error?: { code: string; message: string }
  markdown?: string
  headings?: { level: number; text: string; page: number }[]
  tables?: Table[]
}

/** The result of the document as it grows page by page. */
class DocumentResult {
  readonly summaries: Pick<SavedPage, 'page' | 'status' | 'error'>[] = []
  readonly headings: NonNullable<SavedPage['headings']> = []
  readonly tables: DocumentTable[] = []
  readonly markdown: string[] = []
  /** The pages as JSON. */
  readonly pages: string[] = []
  readonly #merges: boolean

  constructor(mergesTables: boolean) {
    this.#merges = mergesTables
  }

  add(content: string): void {
    const { page, status, error, markdown, headings = [], tables = [] } = JSON.parse(content) as SavedPage
    this.pages.push(content)
    this.summaries.push({ page, status, ...(error && { error }) })
    this.headings.push(...headings)
    if (markdown !== undefined) this.markdown.push(markdown)
    for (const [index, table] of tables.entries()) this.#addTable(table, page, index === 0)
  }

  /** The first table of a page goes on with the last one of the page before, if it has the same columns. */
  #addTable({ box: _, cells, ...table }: Table, page: number, isFirst: boolean): void {
    const last = this.tables.at(-1)
    const isNext = isFirst && last?.pages.at(-1) === page - 1 && last.cols === table.cols
    const head = cells.filter(({ r }) => r < table.headerRows)
    const repeatsHead = last !== undefined && isNext && hasSameTexts(head, last)
    if (!this.#merges || !last || !isNext || (table.headerRows > 0 && !repeatsHead)) {
      this.tables.push({ ...table, cells, pages: [page] })
      return
    }
    const rest = cells.filter(({ r }) => r >= table.headerRows)
    last.cells.push(...rest.map(cell => ({ ...cell, r: cell.r - table.headerRows + last.rows })))
    last.rows += table.rows - table.headerRows
    last.pages.push(page)
  }
}

function hasSameTexts(head: readonly { r: number; c: number; text: string }[], { cells }: DocumentTable): boolean {
  return head.every(({ r, c, text }) => cells.some(cell => cell.r === r && cell.c === c && cell.text === text))
}

export async function collectPages(
  pages: readonly number[],
  parts: Tools['savedParts'],
  mergesTables: boolean,
): Promise<DocumentResult> {
  const result = new DocumentResult(mergesTables)
  for (const page of pages) result.add(await parts.read(pageName(page)))
  return result
}
