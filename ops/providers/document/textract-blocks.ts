import type { Block } from '@aws-sdk/client-textract'
import type { FoundCell, FoundTable } from '../../../tasks/engines/page-tables/table.ts'
import { boundingBox } from '../../../tasks/engines/page-tables/table.ts'
import { buildCell, clipRect, keepSoundTables } from '../../../tasks/formats/document/hosted.ts'
import type { PageLine, PageWord } from '../../../tasks/formats/document/page.ts'
import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import { type FormField, typeOfValue } from '../../../tasks/formats/page-forms/field.ts'

type Geometry = Block['Geometry']
type Relation = 'CHILD' | 'VALUE' | 'MERGED_CELL' | 'TABLE_TITLE'

/** From per cent. */
export function toShare(confidence = 0): number {
  return Math.round(Math.min(100, Math.max(0, confidence)) * 10) / 1000
}

export function readBox(geometry: Geometry): Rect {
  const { Left = 0, Top = 0, Width = 0, Height = 0 } = geometry?.BoundingBox ?? {}
  return clipRect([Left, Top, Left + Width, Top + Height])
}

/** Blocks of an answer, which refer to each other by their ids. */
export class BlockGraph {
  readonly #blocks: readonly Block[]
  readonly #byId: ReadonlyMap<string, Block>

  constructor(blocks: readonly Block[] = []) {
    this.#blocks = blocks
    this.#byId = new Map(blocks.map(block => [block.Id ?? '', block]))
  }

  readLines(): PageLine[] {
    return this.#list('LINE').map(line => {
      const words = this.#related(line, 'CHILD').map(readWord)
      return { ...readWord(line), words: words.length > 0 ? words : [readWord(line)] }
    })
  }

  readTables(): FoundTable[] {
    return keepSoundTables(this.#list('TABLE').map(table => this.#readTable(table)))
  }

  readFields(): FormField[] {
    const keys = this.#list('KEY_VALUE_SET').filter(({ EntityTypes = [] }) => EntityTypes.includes('KEY'))
    const pairs = keys.map(key => this.#readField(key))
    const signatures = this.#list('SIGNATURE').map((block): FormField => {
      const found = {
        valueBox: readBox(block.Geometry),
        confidence: toShare(block.Confidence),
        source: 'model',
      } as const
      return { key: '', value: '', type: 'signature', ...found }
    })
    const topOf = ({ keyBox, valueBox }: FormField) => (keyBox ?? valueBox)?.[1] ?? 0
    return [...pairs, ...signatures].sort((a, b) => topOf(a) - topOf(b))
  }

  #list(type: Block['BlockType']): Block[] {
    return this.#blocks.filter(({ BlockType }) => BlockType === type)
  }

  #related({ Relationships = [] }: Block, type: Relation): Block[] {
    const ids = Relationships.filter(relation => relation.Type === type).flatMap(({ Ids = [] }) => Ids)
    return ids.flatMap(id => this.#byId.get(id) ?? [])
  }

  #textOf(block: Block): string {
    return this.#related(block, 'CHILD')
      .flatMap(({ Text }) => Text ?? [])
      .join(' ')
  }

  #readTable(table: Block): FoundTable {
    const merged = this.#related(table, 'MERGED_CELL').map(cell => {
      const parts = this.#related(cell, 'CHILD')
      const text = parts.map(part => this.#textOf(part)).filter(part => part !== '')
      return { cell: readCell(cell, text.join(' ')), parts }
    })
    const inMerged = new Set(merged.flatMap(({ parts }) => parts))
    const single = this.#related(table, 'CHILD').filter(block => block.BlockType === 'CELL' && !inMerged.has(block))
    const cells = [...merged.map(({ cell }) => cell), ...single.map(cell => readCell(cell, this.#textOf(cell)))]
    const [title] = this.#related(table, 'TABLE_TITLE')
    return {
      method: 'model',
      box: readBox(table.Geometry),
      rows: Math.max(0, ...cells.map(({ r, rowSpan }) => r + rowSpan)),
      cols: Math.max(0, ...cells.map(({ c, colSpan }) => c + colSpan)),
      cells: cells.sort((a, b) => a.r - b.r || a.c - b.c),
      ...(title && { caption: this.#textOf(title) }),
    }
  }

  #readField(key: Block): FormField {
    const values = this.#related(key, 'VALUE')
    const parts = values.flatMap(value => this.#related(value, 'CHILD'))
    const check = parts.find(({ BlockType }) => BlockType === 'SELECTION_ELEMENT')
    const text = parts.flatMap(({ Text }) => Text ?? []).join(' ')
    const isChecked = check?.SelectionStatus === 'SELECTED'
    const boxes = (check ? [check] : values).map(({ Geometry }) => readBox(Geometry))
    return {
      key: this.#textOf(key).replace(/\s*:$/, ''),
      ...(check
        ? { value: String(isChecked), type: 'checkbox', checked: isChecked }
        : { value: text, type: typeOfValue(text) }),
      keyBox: readBox(key.Geometry),
      ...(boxes.length > 0 && { valueBox: boundingBox(boxes) }),
      confidence: toShare(key.Confidence),
      source: 'model',
    }
  }
}

function readWord({ Text = '', Confidence, Geometry }: Block): PageWord {
  return { text: Text, confidence: toShare(Confidence), box: readBox(Geometry) }
}

function readCell(block: Block, text: string): FoundCell {
  const { RowIndex = 1, ColumnIndex = 1, RowSpan = 1, ColumnSpan = 1, Confidence, Geometry } = block
  const place = { r: RowIndex - 1, c: ColumnIndex - 1, rowSpan: RowSpan, colSpan: ColumnSpan }
  return buildCell({ ...place, text, confidence: toShare(Confidence), box: readBox(Geometry) })
}
