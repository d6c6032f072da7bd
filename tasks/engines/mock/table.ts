import { Problem } from '#kit'
import { hashText, mixSeed, type SeededRandom } from '../../formats/random/seeded.ts'
import { checkOptions, type MockField } from './fields.ts'
import { KINDS, type Kind, requireKind } from './kinds.ts'
import { createDraw, type Draw, type Source, type Value } from './values.ts'

/** The value of a field in a row. Each is made from a seed of its own, so any cell can be made at any time. */
type Cell = (row: number, attempt?: number) => Value

export interface MockColumn {
  name: string
  type: string
  cell: Cell
}

export interface MockTable {
  name: string
  rows: number
  columns: MockColumn[]
  /** The row of the first table that a row belongs to. */
  parentOf?(row: number): number
}

interface TableSettings {
  source: Source
  seed: number
  refMs: number
  /** Where the fields are in the body. */
  at: string
  unique: readonly string[]
  others: ReadonlyMap<string, MockTable>
}

const MAX_ATTEMPTS = 100

/** Turns the fields of a table into functions that make its cells. */
export function compileFields(
  table: Omit<MockTable, 'columns'>,
  fields: readonly MockField[],
  settings: TableSettings,
): MockTable {
  const compiled: MockTable = { ...table, columns: [] }
  const names = fields.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new Problem('INVALID_PARAM', { field: settings.at, allowed: 'distinct names', actual: twice })
  const missing = settings.unique.findIndex(name => !names.includes(name))
  if (missing >= 0) throw new Problem('INVALID_PARAM', { field: `unique.${missing}`, allowed: names })
  const compiler = new FieldCompiler(compiled, fields, settings)
  compiled.columns = fields.map(({ name }) => compiler.column(name))
  return compiled
}

class FieldCompiler {
  readonly #table: MockTable
  readonly #fields: readonly MockField[]
  readonly #settings: TableSettings
  readonly #random: SeededRandom
  readonly #known = new Map<string, MockColumn | 'in work'>()

  constructor(table: MockTable, fields: readonly MockField[], settings: TableSettings) {
    this.#table = table
    this.#fields = fields
    this.#settings = settings
    this.#random = settings.source.random
  }

  column(name: string): MockColumn {
    const known = this.#known.get(name)
    const index = this.#fields.findIndex(field => field.name === name)
    const at = `${this.#settings.at}.${index}`
    if (known === 'in work')
      throw new Problem('INVALID_PARAM', { field: at, allowed: 'a field that does not use itself' })
    if (known) return known
    this.#known.set(name, 'in work')
    const { type, cell } = this.#compile(this.#fields[index]!, at, name)
    const column = { name, type, cell: this.#settings.unique.includes(name) ? this.#makeUnique(name, cell) : cell }
    this.#known.set(name, column)
    return column
  }

  #compile(field: MockField, at: string, path: string): Omit<MockColumn, 'name'> {
    const kind = requireKind(field.type, `${at}.type`)
    checkOptions(field, kind, at)
    const key = mixSeed(this.#settings.seed, hashText(this.#table.name), hashText(path))
    const { cell, type = columnType(kind, field) } = this.#compileKind(kind, field, { at, path, key })
    return { type, cell: this.#withNulls(cell, field.null, key) }
  }

  #compileKind(
    kind: Kind,
    field: MockField,
    { at, path, key }: { at: string; path: string; key: number },
  ): { cell: Cell; type?: string } {
    if (kind === 'sequence') {
      const { start = 1, step = 1 } = field
      return { cell: row => start + row * step }
    }
    if (kind === 'ref') return this.#compileRef(field, at, key)
    if (kind === 'template') return { cell: this.#compileTemplate(field.template!, at, path) }
    if (kind === 'json') {
      const members = field.fields!.map(
        (member, index) =>
          [member.name, this.#compile(member, `${at}.fields.${index}`, `${path}/${member.name}`).cell] as const,
      )
      return { cell: (row, attempt) => Object.fromEntries(members.map(([name, cell]) => [name, cell(row, attempt)])) }
    }
    const { source, refMs } = this.#settings
    return { cell: this.#draw(this.#ofPerson(kind, path) ?? createDraw(kind, field, { source, refMs, at }), key) }
  }

  #draw(draw: Draw | ((row: number, reseed: () => void, attempt: number) => Value), key: number): Cell {
    return (row, attempt = 0) => {
      const reseed = () => this.#random.seed(mixSeed(key, attempt, row))
      reseed()
      return draw(row, reseed, attempt)
    }
  }

  /** A row is one person: names and addresses follow from the first and last name in the row. */
  #ofPerson(kind: Kind, path: string): ((row: number, reseed: () => void, attempt: number) => Value) | undefined {
    if (!['fullName', 'email', 'username'].includes(kind) || path.includes('/')) return undefined
    const find = (type: string) => this.#fields.find(field => field.type === type && field.null === undefined)?.name
    const [first, last] = [find('firstName'), find('lastName')]
    if (first === undefined || last === undefined) return undefined
    const { source } = this.#settings
    const [firstCell, lastCell] = [this.column(first).cell, this.column(last).cell]
    return (row, reseed, attempt) => {
      const names = [firstCell(row) as string, lastCell(row) as string] as const
      reseed()
      if (kind === 'fullName') return source.toFullName(...names)
      const login = source.toUsername(...names) + (attempt > 0 ? this.#random.integer(1, 99_999) : '')
      return kind === 'username' ? login : `${login}@${this.#random.pick(MAIL_HOSTS)}`
    }
  }

  #compileRef({ table, field }: MockField, at: string, key: number): { cell: Cell; type: string } {
    const { others } = this.#settings
    const first = [...others.keys()][0]
    const name = table ?? first
    const target = name === undefined ? undefined : others.get(name)
    if (!target) throw new Problem('INVALID_PARAM', { field: `${at}.table`, allowed: [...others.keys()] })
    const column = target.columns.find(each => each.name === field)
    if (!column)
      throw new Problem('INVALID_PARAM', { field: `${at}.field`, allowed: target.columns.map(each => each.name) })
    const { parentOf } = this.#table
    const cell: Cell =
      parentOf && name === first
        ? row => column.cell(parentOf(row))
        : (row, attempt = 0) => {
            this.#random.seed(mixSeed(key, attempt, row))
            return column.cell(this.#random.integer(0, target.rows - 1))
          }
    return { cell, type: column.type }
  }

  #compileTemplate(template: string, at: string, path: string): Cell {
    const parts = template.split(/\{\{\s*([^{}]*?)\s*\}\}/).map((part, index) => {
      if (index % 2 === 0) return () => part
      if (this.#fields.some(({ name }) => name === part)) return this.column(part).cell
      return this.#compile({ name: part, type: part }, `${at}.template`, `${path}/${index}`).cell
    })
    return (row, attempt) => parts.map(cell => toText(cell(row, attempt))).join('')
  }

  #withNulls(cell: Cell, share: number | undefined, key: number): Cell {
    if (share === undefined) return cell
    return (row, attempt) => {
      this.#random.seed(mixSeed(key, -2, row))
      return this.#random.next() < share ? null : cell(row, attempt)
    }
  }

  /** Values that are there already are made again. All are kept, so that other fields can refer to them. */
  #makeUnique(name: string, cell: Cell): Cell {
    const taken = new Set<string>()
    const values: Value[] = []
    const findFree = (row: number) => {
      for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
        const value = cell(row, attempt)
        if (value === null || !taken.has(identify(value))) return value
      }
      throw new Problem('UNIQUE_EXHAUSTED', { field: name, rows: row })
    }
    return wanted => {
      for (let row = values.length; row <= wanted; row++) {
        const value = findFree(row)
        if (value !== null) taken.add(identify(value))
        values.push(value)
      }
      return values[wanted]!
    }
  }
}

/** Hosts that are reserved for examples. */
export const MAIL_HOSTS = ['example.com', 'example.net', 'example.org', 'mail.example.test']

function identify(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function toText(value: Value): string {
  if (value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function columnType(kind: Kind, { values = [], decimals = 2, min = 0, max = min + 1000 }: MockField): string {
  const type = KINDS[kind]
  if (type === 'enum') {
    if (values.every(value => typeof value === 'boolean')) return 'boolean'
    if (!values.every(value => typeof value === 'number')) return 'string'
    return values.every(Number.isSafeInteger) ? 'integer' : 'number'
  }
  const digits = Math.max(...[min, max].map(value => Math.ceil(Math.abs(value)).toFixed(0).length)) + decimals
  return type === 'decimal' ? `decimal(${digits},${decimals})` : type
}
