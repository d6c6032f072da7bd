import type { FoundCell, FoundTable } from '../../../tasks/engines/page-tables/table.ts'
import { buildCell, clipRect, keepSoundTables } from '../../../tasks/formats/document/hosted.ts'
import type { PageLine, PageWord } from '../../../tasks/formats/document/page.ts'
import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import { type FormField, typeOfValue } from '../../../tasks/formats/page-forms/field.ts'

/** Numbers of 64 bits come as text, and what is 0 is left out. */
interface Anchor {
  textSegments?: { startIndex?: string; endIndex?: string }[]
}
export interface Poly {
  normalizedVertices?: { x?: number; y?: number }[]
}
interface Layout {
  textAnchor?: Anchor
  confidence?: number
  boundingPoly?: Poly
}
interface Row {
  cells?: { layout?: Layout; rowSpan?: number; colSpan?: number }[]
}

export interface GooglePage {
  tokens?: { layout?: Layout }[]
  lines?: { layout?: Layout }[]
  tables?: { layout?: Layout; headerRows?: Row[]; bodyRows?: Row[] }[]
  formFields?: { fieldName?: Layout; fieldValue?: Layout; valueType?: string }[]
}

const WHOLE: Rect = [0, 0, 1, 1]

export function readPoly({ normalizedVertices: vertices = [] }: Poly = {}): Rect | undefined {
  if (vertices.length === 0) return undefined
  const [xs, ys] = [vertices.map(({ x = 0 }) => x), vertices.map(({ y = 0 }) => y)]
  return clipRect([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)])
}

/** What the processors found on the first page; its parts refer to the text of the whole. */
export class GoogleLayout {
  readonly #text: string
  readonly #page: GooglePage

  constructor(text: string, page: GooglePage = {}) {
    this.#text = text
    this.#page = page
  }

  readLines(): PageLine[] {
    const tokens = (this.#page.tokens ?? []).map(({ layout = {} }) => ({ layout, word: this.#readWord(layout) }))
    return (this.#page.lines ?? []).map(({ layout = {} }) => {
      const [from, to] = spanOf(layout)
      const own = tokens.filter(token => spanOf(token.layout)[0] >= from && spanOf(token.layout)[1] <= to)
      const line = this.#readWord(layout)
      return { ...line, words: own.length > 0 ? own.map(({ word }) => word) : [line] }
    })
  }

  readTables(): FoundTable[] {
    const found = (this.#page.tables ?? []).map(({ layout = {}, headerRows = [], bodyRows = [] }): FoundTable => {
      const box = readPoly(layout.boundingPoly) ?? WHOLE
      const rows = [...headerRows, ...bodyRows]
      const cells = this.#placeCells(rows, box)
      const cols = Math.max(0, ...cells.map(({ c, colSpan }) => c + colSpan))
      const depth = Math.max(rows.length, ...cells.map(({ r, rowSpan }) => r + rowSpan))
      return { method: 'model', box, rows: depth, cols, cells }
    })
    return keepSoundTables(found)
  }

  readFields(): FormField[] {
    return (this.#page.formFields ?? []).map(({ fieldName = {}, fieldValue = {}, valueType = '' }) => {
      const [keyBox, valueBox] = [readPoly(fieldName.boundingPoly), readPoly(fieldValue.boundingPoly)]
      const text = this.#textOf(fieldValue)
      const isCheck = /checkbox$/.test(valueType)
      const isChecked = valueType === 'filled_checkbox'
      return {
        key: this.#textOf(fieldName).replace(/\s*:$/, ''),
        ...(isCheck
          ? { value: String(isChecked), type: 'checkbox' as const, checked: isChecked }
          : { value: text, type: typeOfValue(text) }),
        ...(keyBox && { keyBox }),
        ...(valueBox && { valueBox }),
        confidence: fieldName.confidence ?? 0,
        source: 'model' as const,
      }
    })
  }

  /** Cells have no numbers of their columns: each takes the first place that no cell above it covers. */
  #placeCells(rows: readonly Row[], outer: Rect): FoundCell[] {
    const taken = new Set<string>()
    return rows.flatMap(({ cells = [] }, r) =>
      cells.map(({ layout = {}, rowSpan = 1, colSpan = 1 }) => {
        let c = 0
        while (taken.has(`${r},${c}`)) c += 1
        for (let row = r; row < r + Math.min(rowSpan, MAX_SPAN); row += 1)
          for (let column = c; column < c + Math.min(colSpan, MAX_SPAN); column += 1) taken.add(`${row},${column}`)
        const box = readPoly(layout.boundingPoly) ?? outer
        const place = { r, c, rowSpan: Math.max(1, rowSpan), colSpan: Math.max(1, colSpan), box }
        return buildCell({ ...place, text: this.#textOf(layout), confidence: layout.confidence ?? 0 })
      }),
    )
  }

  #readWord(layout: Layout): PageWord {
    const box = readPoly(layout.boundingPoly) ?? WHOLE
    return { text: this.#textOf(layout), confidence: layout.confidence ?? 0, box }
  }

  #textOf({ textAnchor }: Layout): string {
    const parts = (textAnchor?.textSegments ?? []).map(({ startIndex = '0', endIndex = '0' }) =>
      this.#text.slice(Number(startIndex), Number(endIndex)),
    )
    return parts.join('').replaceAll(/\s+/g, ' ').trim()
  }
}

const MAX_SPAN = 200

function spanOf({ textAnchor }: Layout): [from: number, to: number] {
  const segments = textAnchor?.textSegments ?? []
  return [Number(segments[0]?.startIndex ?? 0), Number(segments.at(-1)?.endIndex ?? 0)]
}
