import type { Tools } from '../../kit/operation.ts'
import type { describeTable } from '../schema.ts'
import type { Kept } from './features.ts'
import { pageName } from './pages.ts'
import type { PageAnswers } from './questions.ts'

type Table = ReturnType<typeof describeTable>

/** A table of the document, which may go on over several pages. */
interface DocumentTable extends Omit<Table, 'box'> {
  pages: number[]
}

interface SavedPage extends Pick<PageAnswers, 'answers' | 'questionError'> {
  page: number
  status: 'ok' | 'failed'
  error?: { code: string; message: string }
  markdown?: string
  headings?: { level: number; text: string; page: number }[]
  tables?: Table[]
  kept?: Kept
}

/** The result of the document as it grows page by page. */
class DocumentResult {
  readonly summaries: Pick<SavedPage, 'page' | 'status' | 'error'>[] = []
  /** What the pages leave for the whole document. */
  readonly parts: (Pick<SavedPage, 'page' | 'answers' | 'questionError'> & Kept)[] = []
  readonly headings: NonNullable<SavedPage['headings']> = []
  readonly tables: DocumentTable[] = []
  readonly markdown: { page: number; text: string }[] = []
  /** The pages as JSON. */
  readonly pages: string[] = []
  readonly #merges: boolean

  constructor(mergesTables: boolean) {
    this.#merges = mergesTables
  }

  add(content: string): void {
    const { kept, ...shown } = JSON.parse(content) as SavedPage
    const { page, status, error, markdown, headings = [], tables = [], answers, questionError } = shown
    this.pages.push(JSON.stringify(shown))
    this.summaries.push({ page, status, ...(error && { error }) })
    if (kept) this.parts.push({ page, ...kept, ...(answers && { answers }), ...(questionError && { questionError }) })
    this.headings.push(...headings)
    if (markdown !== undefined) this.markdown.push({ page, text: markdown })
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
