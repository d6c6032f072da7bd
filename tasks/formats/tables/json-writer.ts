import { ByteSink } from './byte-sink.ts'
import type { PickedColumns } from './csv-writer.ts'
import { MISSING, NESTED, PLAIN, QUOTED, type Rows, readCell, SCALAR, STRING } from './rows.ts'
import type { CellCaster } from './types.ts'

export type JsonShape = 'objects' | 'arrays' | 'columns' | 'lines'

const QUOTE = 0x22
const NULL = Buffer.from('null')

export class JsonWriter {
  #sink: ByteSink
  readonly #shape: JsonShape
  readonly #keys: Buffer[]
  readonly #caster: CellCaster | undefined
  readonly #columnSinks: ByteSink[] = []
  /** Whether the list has an item already: the names of the columns, or a row. */
  #hasItems = false

  constructor(
    shape: JsonShape,
    names: readonly string[],
    caster: CellCaster | undefined,
    expectedBytes: number,
    hasHeader = true,
  ) {
    this.#shape = shape
    this.#caster = caster
    this.#keys = makeNamesDistinct(names).map(name => Buffer.from(`${JSON.stringify(name)}:`))
    this.#sink = new ByteSink(expectedBytes)
    if (shape === 'columns') this.#columnSinks = names.map(() => new ByteSink(1024))
    if (shape === 'arrays' || shape === 'objects') this.#sink.writeByte(0x5b)
    this.#hasItems = shape === 'arrays' && hasHeader
    if (this.#hasItems) this.#sink.write(Buffer.from(JSON.stringify(names)))
  }

  writeRow(rows: Rows, columns: PickedColumns): void {
    if (this.#shape === 'columns') this.#writeToColumns(rows, columns)
    else this.#writeOneRow(rows, columns)
    this.#hasItems = true
  }

  #writeOneRow(rows: Rows, columns: PickedColumns): void {
    const [sink, shape] = [this.#sink, this.#shape]
    if (shape !== 'lines' && this.#hasItems) sink.writeByte(0x2c)
    if (shape !== 'lines') sink.writeByte(0x0a)
    if (shape === 'arrays') this.#writeList(rows, columns)
    else this.#writeObject(rows, columns)
    if (shape === 'lines') sink.writeByte(0x0a)
  }

  #writeList(rows: Rows, columns: PickedColumns): void {
    const sink = this.#sink
    sink.writeByte(0x5b)
    for (let index = 0; index < columns.length; index++) {
      if (index > 0) sink.writeByte(0x2c)
      this.#writeCell(sink, rows, columns[index]!)
    }
    sink.writeByte(0x5d)
  }

  #writeObject(rows: Rows, columns: PickedColumns): void {
    const [sink, keys, caster] = [this.#sink, this.#keys, this.#caster]
    let before = 0x7b
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index]!
      if (rows.kinds[column] === MISSING && caster === undefined) continue
      sink.writeByte(before)
      before = 0x2c
      sink.write(keys[index]!)
      this.#writeCell(sink, rows, column)
    }
    if (before === 0x7b) sink.writeByte(before)
    sink.writeByte(0x7d)
  }

  #writeToColumns(rows: Rows, columns: PickedColumns): void {
    for (const [index, column] of columns.entries()) {
      const sink = this.#columnSinks[index]!
      if (this.#hasItems) sink.writeByte(0x2c)
      this.#writeCell(sink, rows, column)
    }
  }

  #writeCell(sink: ByteSink, rows: Rows, column: number): void {
    const kind = rows.kinds[column]!
    const [start, end] = [rows.starts[column]!, rows.ends[column]!]
    const cast = this.#caster?.(rows, column)
    if (cast !== undefined) sink.write(Buffer.from(cast))
    else if (kind === MISSING) sink.write(NULL)
    else if (kind === NESTED && this.#shape === 'lines') sink.writeWithoutLineEnds(rows.bytes, start, end)
    else if (kind === SCALAR || kind === NESTED) sink.writeSlice(rows.bytes, start, end)
    else this.#writeString(sink, rows, column, kind)
  }

  #writeString(sink: ByteSink, rows: Rows, column: number, kind: number): void {
    const [start, end] = [rows.starts[column]!, rows.ends[column]!]
    sink.writeByte(QUOTE)
    if (kind === PLAIN || kind === QUOTED) sink.writeEscaped(rows.bytes, start, end)
    else if (kind === STRING) sink.writeSlice(rows.bytes, start, end)
    else {
      const text = Buffer.from(readCell(rows, column)!)
      sink.writeEscaped(text, 0, text.length)
    }
    sink.writeByte(QUOTE)
  }

  finish(): Uint8Array {
    const [sink, shape] = [this.#sink, this.#shape]
    if (shape === 'columns') {
      sink.writeByte(0x7b)
      for (const [index, column] of this.#columnSinks.entries()) {
        if (index > 0) sink.writeByte(0x2c)
        sink.write(this.#keys[index]!)
        sink.writeByte(0x5b)
        sink.writeSlice(column.bytes, 0, column.length)
        sink.writeByte(0x5d)
      }
      sink.writeByte(0x7d)
    } else if (shape !== 'lines') sink.write(Buffer.from(this.#hasItems ? '\n]' : ']'))
    if (shape !== 'lines') sink.writeByte(0x0a)
    return sink.finish()
  }
}

/** Numbers repeated names, because in an object the last would replace the others. */
function makeNamesDistinct(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  const numbers = new Map<string, number>()
  return names.map(name => {
    let free = name
    while (seen.has(free) || (free !== name && taken.has(free))) {
      const number = (numbers.get(name) ?? 1) + 1
      numbers.set(name, number)
      free = `${name}_${number}`
    }
    seen.add(free)
    return free
  })
}
