import { Problem } from '#kit'
import { MAX_COLUMNS } from './csv-reader.ts'
import { JsonScanner } from './json-scanner.ts'
import { MISSING, NESTED, type Rows, SCALAR, STRING } from './rows.ts'

interface JsonRules {
  nested: 'flatten' | 'json' | 'error'
  /** A JSON pointer to the list. */
  jsonPath?: string
  isLines: boolean
}

/** The lists that there are stand beside it. */
const LIST_REQUIRED = 'a list is required; csv.convert makes a table of a list within by jsonPath'

/** What the keys above an object make of the paths and names of its columns. */
interface Parent {
  path: string
  name: string
}

const TOP: Parent = { path: '', name: '' }
/** Between the keys of a path; no key that people write has it. */
const STEP = '\0'

/** Rows of a JSON list, or of one JSON value per line. The columns are those of all rows, by first appearance. */
export class JsonRows implements Rows {
  readonly columns: string[] = []
  readonly bytes: Buffer
  kinds = new Uint8Array(64)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  line = 0
  /** Whether a row gives names; rows that are lists have none. */
  hasNames = false
  readonly #scanner: JsonScanner
  readonly #rules: JsonRules
  /** Each column by the keys that lead to it: two of them may make the same name. */
  readonly #columnsByPath = new Map<string, number>()
  readonly #paths: string[] = []
  #rowsStart = 0
  #isFirst = true
  #isList = false

  constructor(bytes: Buffer, rules: JsonRules) {
    this.bytes = bytes
    this.#rules = rules
    this.#scanner = new JsonScanner(bytes)
    if (rules.jsonPath !== undefined) this.#checkDocument()
    this.#findRows()
    this.#rowsStart = this.#scanner.at
    while (this.next());
    // The bracket that closes an empty list has not been read yet.
    if (this.#isList && this.#isFirst) this.#scanner.expect(']')
    if (rules.jsonPath === undefined) this.#expectEnd()
    this.rewind()
  }

  /** With a path, the rows are only part of the document, so the rest of it is read once as well. */
  #checkDocument(): void {
    this.#scanner.skipValue()
    this.#expectEnd()
    this.#scanner.at = 0
  }

  #expectEnd(): void {
    if (this.#scanner.peek() !== -1) throw this.#scanner.createProblem('the end of the text expected after the list')
  }

  #findRows(): void {
    const [scanner, rules] = [this.#scanner, this.#rules]
    for (const step of parsePointer(rules.jsonPath)) this.#enterStep(step)
    if (rules.isLines && rules.jsonPath === undefined) return
    if (scanner.peek() !== 0x5b)
      throw new Problem('NOT_TABULAR', { detail: LIST_REQUIRED, lists: findLists(this.bytes) })
    scanner.at++
    this.#isList = true
  }

  #enterStep(step: string): void {
    const scanner = this.#scanner
    const start = scanner.at
    let found = -1
    if (scanner.peek() === 0x7b) {
      scanner.eachMember((from, to) => {
        if (readKey(this.bytes, from, to) === step) found = scanner.at
        scanner.skipValue()
      })
    } else if (scanner.peek() === 0x5b) {
      let index = 0
      scanner.eachItem(() => {
        if (String(index++) === step) found = scanner.at
        scanner.skipValue()
      })
    }
    if (found < 0)
      throw new Problem('NOT_TABULAR', { jsonPath: this.#rules.jsonPath, detail: 'nothing was found at this path' })
    scanner.at = Math.max(found, start)
  }

  rewind(): void {
    this.#scanner.at = this.#rowsStart
    this.#isFirst = true
    this.line = 0
  }

  next(): boolean {
    const scanner = this.#scanner
    if (!this.#advance()) return false
    this.line++
    this.kinds.fill(MISSING, 0, this.columns.length)
    const byte = scanner.peek()
    if (byte === 0x7b) {
      this.hasNames = true
      this.#readObject(TOP, 0)
    } else if (byte === 0x5b) this.#readList()
    else throw new Problem('NOT_TABULAR', { row: this.line, detail: 'a row must be an object or a list' })
    return true
  }

  #advance(): boolean {
    const scanner = this.#scanner
    const byte = scanner.peek()
    if (!this.#isList) return byte !== -1
    if (this.#isFirst && byte === 0x5d) return false
    if (!this.#isFirst && !scanner.hasMore(']')) return false
    this.#isFirst = false
    return true
  }

  #readObject(parent: Parent, depth: number): void {
    let expected = 0
    this.#scanner.eachMember((from, to) => {
      const key = readKey(this.bytes, from, to)
      const path = parent.path + key
      const isNested = this.#scanner.peek() === 0x7b && this.#rules.nested === 'flatten' && depth < 20
      if (isNested) this.#readObject({ path: path + STEP, name: `${parent.name + key}.` }, depth + 1)
      else {
        const column = this.#paths[expected] === path ? expected : this.#findOrAddColumn(path, parent.name + key)
        this.#readValue(column)
        expected = column + 1
      }
    })
  }

  #readList(): void {
    let column = 0
    this.#scanner.eachItem(() => {
      const name = `column${++column}`
      this.#readValue(this.#findOrAddColumn(name, name))
    })
  }

  #findOrAddColumn(path: string, name: string): number {
    const known = this.#columnsByPath.get(path)
    if (known !== undefined) return known
    const column = this.columns.length
    if (column >= MAX_COLUMNS) throw new Problem('TOO_MANY_COLUMNS', { limit: MAX_COLUMNS })
    this.#columnsByPath.set(path, column)
    this.#paths.push(path)
    this.columns.push(name)
    if (column >= this.kinds.length) this.#grow()
    return column
  }

  #grow(): void {
    const length = this.kinds.length * 2
    const larger = { kinds: new Uint8Array(length), starts: new Int32Array(length), ends: new Int32Array(length) }
    larger.kinds.set(this.kinds)
    larger.starts.set(this.starts)
    larger.ends.set(this.ends)
    Object.assign(this, larger)
  }

  #readValue(column: number): void {
    const scanner = this.#scanner
    const byte = scanner.peek()
    if (byte === 0x22) this.#setCell(column, STRING, scanner.skipString(), scanner.at - 1)
    else if (byte === 0x7b || byte === 0x5b) {
      if (this.#rules.nested === 'error')
        throw new Problem('NOT_TABULAR', { row: this.line, column: this.columns[column] })
      const start = scanner.at
      scanner.skipValue()
      this.#setCell(column, NESTED, start, scanner.at)
    } else this.#setCell(column, SCALAR, scanner.skipScalar(), scanner.at)
  }

  #setCell(column: number, kind: number, start: number, end: number): void {
    this.kinds[column] = kind
    this.starts[column] = start
    this.ends[column] = end
  }

  unescape(text: string): string {
    return text
  }
}

function readKey(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

function parsePointer(path: string | undefined): string[] {
  if (path === undefined || path === '') return []
  return path
    .slice(1)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** JSON pointers to lists that the caller may have meant. */
function findLists(bytes: Buffer): string[] {
  const scanner = new JsonScanner(bytes)
  const found: string[] = []
  const visit = (path: string, depth: number) => {
    if (scanner.peek() === 0x5b) found.push(path)
    if (scanner.peek() !== 0x7b || depth > 3) {
      scanner.skipValue()
      return
    }
    scanner.eachMember((from, to) => {
      const key = readKey(bytes, from, to).replaceAll('~', '~0').replaceAll('/', '~1')
      visit(`${path}/${key}`, depth + 1)
    })
  }
  visit('', 0)
  return found.slice(0, 10)
}
