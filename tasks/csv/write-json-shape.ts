import { MISSING, NESTED, PLAIN, QUOTED, type Rows, SCALAR, STRING, textAt } from './rows-shape.ts'
import { Sink } from './sink-shape.ts'
import type { Caster } from './types-shape.ts'
import type { Picked } from './write-csv-shape.ts'

export type JsonShape = 'objects' | 'arrays' | 'columns' | 'lines'

const QUOTE = 0x22
const NULL = Buffer.from('null')

export class JsonWriter {
  sink: Sink
  private readonly shape: JsonShape
  private readonly names: Buffer[]
  private readonly caster: Caster | undefined
  private readonly perColumn: Sink[] = []
  private count = 0

  constructor(shape: JsonShape, names: readonly string[], caster: Caster | undefined, expectedBytes: number) {
    this.shape = shape
    this.caster = caster
    this.names = distinct(names).map(name => Buffer.from(`${JSON.stringify(name)}:`))
    this.sink = new Sink(expectedBytes)
    if (shape === 'columns') this.perColumn = names.map(() => new Sink(1024))
    if (shape === 'arrays') this.sink.put(Buffer.from(`[${JSON.stringify(names)}`))
    if (shape === 'objects') this.sink.byte(0x5b)
  }

  row(rows: Rows, picked: Picked): void {
    if (this.shape === 'columns') this.spread(rows, picked)
    else this.write(rows, picked)
    this.count++
  }

  private write(rows: Rows, picked: Picked): void {
    const { sink, shape } = this
    const hasBefore = this.count > 0 || shape === 'arrays'
    if (shape !== 'lines' && hasBefore) sink.byte(0x2c)
    if (shape !== 'lines') sink.byte(0x0a)
    if (shape === 'arrays') this.list(rows, picked)
    else this.object(rows, picked)
    if (shape === 'lines') sink.byte(0x0a)
  }

  private list(rows: Rows, picked: Picked): void {
    const { sink } = this
    sink.byte(0x5b)
    for (let index = 0; index < picked.length; index++) {
      if (index > 0) sink.byte(0x2c)
      this.cell(sink, rows, picked[index]!)
    }
    sink.byte(0x5d)
  }

  private object(rows: Rows, picked: Picked): void {
    const { sink, names, caster } = this
    let before = 0x7b
    for (let index = 0; index < picked.length; index++) {
      const column = picked[index]!
      if (rows.kinds[column] === MISSING && caster === undefined) continue
      sink.byte(before)
      before = 0x2c
      sink.put(names[index]!)
      this.cell(sink, rows, column)
    }
    if (before === 0x7b) sink.byte(before)
    sink.byte(0x7d)
  }

  private spread(rows: Rows, picked: Picked): void {
    for (const [index, column] of picked.entries()) {
      const sink = this.perColumn[index]!
      if (this.count > 0) sink.byte(0x2c)
      this.cell(sink, rows, column)
    }
  }

  private cell(sink: Sink, rows: Rows, column: number): void {
    const kind = rows.kinds[column]!
    const [start, end] = [rows.starts[column]!, rows.ends[column]!]
    const cast = this.caster?.(rows, column)
    if (cast !== undefined) sink.put(Buffer.from(cast))
    else if (kind === MISSING) sink.put(NULL)
    else if (kind === SCALAR || kind === NESTED) sink.copy(rows.bytes, start, end)
    else this.string(sink, rows, column, kind)
  }

  private string(sink: Sink, rows: Rows, column: number, kind: number): void {
    const [start, end] = [rows.starts[column]!, rows.ends[column]!]
    sink.byte(QUOTE)
    if (kind === PLAIN || kind === QUOTED) sink.copyEscaped(rows.bytes, start, end)
    else if (kind === STRING) sink.copy(rows.bytes, start, end)
    else {
      const text = Buffer.from(textAt(rows, column)!)
      sink.copyEscaped(text, 0, text.length)
    }
    sink.byte(QUOTE)
  }

  finished(): Uint8Array {
    const { sink, shape } = this
    if (shape === 'columns') {
      sink.byte(0x7b)
      for (const [index, column] of this.perColumn.entries()) {
        if (index > 0) sink.byte(0x2c)
        sink.put(this.names[index]!)
        sink.byte(0x5b)
        sink.copy(column.bytes, 0, column.length)
        sink.byte(0x5d)
      }
      sink.byte(0x7d)
    } else if (shape !== 'lines') sink.put(Buffer.from(this.count > 0 || shape === 'arrays' ? '\n]' : ']'))
    if (shape !== 'lines') sink.byte(0x0a)
    return sink.finished()
  }
}

/** Names that come twice would hide each other in an object. */
export function distinct(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map(name => {
    let free = name
    for (let number = 2; seen.has(free) || (free !== name && taken.has(free)); number++) free = `${name}_${number}`
    seen.add(free)
    return free
  })
}
