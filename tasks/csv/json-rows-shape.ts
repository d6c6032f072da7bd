import { Problem } from '#kit'
import { JsonScan } from './json-scan-shape.ts'
import { MISSING, NESTED, type Rows, SCALAR, STRING } from './rows-shape.ts'
import { MOST_COLUMNS } from './scan-shape.ts'

export interface JsonRules {
  nested: 'flatten' | 'json' | 'error'
  /** A pointer to the list. */
  jsonPath?: string
  isLines: boolean
}

/** Rows of a JSON list, or of one value a line. The columns are those of all rows, in the order they first appear. */
export class JsonRows implements Rows {
  readonly columns: string[] = []
  readonly bytes: Buffer
  kinds = new Uint8Array(64)
  starts = new Int32Array(64)
  ends = new Int32Array(64)
  line = 0
  private readonly scan: JsonScan
  private readonly rules: JsonRules
  private readonly places = new Map<string, number>()
  private begin = 0
  private isFirst = true
  private isList = false

  constructor(bytes: Buffer, rules: JsonRules) {
    this.bytes = bytes
    this.rules = rules
    this.scan = new JsonScan(bytes)
    this.find()
    this.begin = this.scan.at
    while (this.next());
    this.rewind()
  }

  private find(): void {
    const { scan, rules } = this
    for (const step of pointerOf(rules.jsonPath)) this.enter(step)
    if (rules.isLines && rules.jsonPath === undefined) return
    if (scan.peek() !== 0x5b)
      throw new Problem('NOT_TABULAR', { detail: 'a list is needed', lists: listsIn(this.bytes) })
    scan.at++
    this.isList = true
  }

  private enter(step: string): void {
    const { scan } = this
    const start = scan.at
    let found = -1
    if (scan.peek() === 0x7b) {
      scan.members((from, to) => {
        if (keyText(this.bytes, from, to) === step) found = scan.at
        scan.skip()
      })
    } else if (scan.peek() === 0x5b) {
      let index = 0
      scan.items(() => {
        if (String(index++) === step) found = scan.at
        scan.skip()
      })
    }
    if (found < 0) throw new Problem('NOT_TABULAR', { jsonPath: this.rules.jsonPath, detail: 'nothing stands there' })
    scan.at = Math.max(found, start)
  }

  rewind(): void {
    this.scan.at = this.begin
    this.isFirst = true
    this.line = 0
  }

  next(): boolean {
    const { scan } = this
    if (!this.hasNext()) return false
    this.line++
    this.kinds.fill(MISSING, 0, this.columns.length)
    const byte = scan.peek()
    if (byte === 0x7b) this.readObject('', 0)
    else if (byte === 0x5b) this.readList()
    else throw new Problem('NOT_TABULAR', { row: this.line, detail: 'a row is an object or a list' })
    return true
  }

  private hasNext(): boolean {
    const { scan } = this
    const byte = scan.peek()
    if (!this.isList) return byte !== -1
    if (this.isFirst && byte === 0x5d) return false
    if (!this.isFirst && !scan.more(']')) return false
    this.isFirst = false
    return true
  }

  private readObject(prefix: string, depth: number): void {
    let expected = 0
    this.scan.members((from, to) => {
      const key = keyText(this.bytes, from, to)
      const name = prefix + key
      const isNested = this.scan.peek() === 0x7b && this.rules.nested === 'flatten' && depth < 20
      if (isNested) this.readObject(`${name}.`, depth + 1)
      else {
        const column = this.columns[expected] === name ? expected : this.columnOf(name)
        this.readValue(column)
        expected = column + 1
      }
    })
  }

  private readList(): void {
    let column = 0
    this.scan.items(() => {
      this.readValue(this.columnOf(`column${column + 1}`))
      column++
    })
  }

  private columnOf(name: string): number {
    const known = this.places.get(name)
    if (known !== undefined) return known
    const column = this.columns.length
    if (column >= MOST_COLUMNS) throw new Problem('TOO_MANY_COLUMNS', { limit: MOST_COLUMNS })
    this.places.set(name, column)
    this.columns.push(name)
    if (column >= this.kinds.length) this.grow()
    return column
  }

  private grow(): void {
    const length = this.kinds.length * 2
    const larger = { kinds: new Uint8Array(length), starts: new Int32Array(length), ends: new Int32Array(length) }
    larger.kinds.set(this.kinds)
    larger.starts.set(this.starts)
    larger.ends.set(this.ends)
    Object.assign(this, larger)
  }

  private readValue(column: number): void {
    const { scan } = this
    const byte = scan.peek()
    if (byte === 0x22) this.put(column, STRING, scan.string(), scan.at - 1)
    else if (byte === 0x7b || byte === 0x5b) {
      if (this.rules.nested === 'error')
        throw new Problem('NOT_TABULAR', { row: this.line, column: this.columns[column] })
      const start = scan.at
      scan.skip()
      this.put(column, NESTED, start, scan.at)
    } else this.put(column, SCALAR, scan.scalar(), scan.at)
  }

  private put(column: number, kind: number, start: number, end: number): void {
    this.kinds[column] = kind
    this.starts[column] = start
    this.ends[column] = end
  }

  unescape(text: string): string {
    return text
  }
}

function keyText(bytes: Buffer, from: number, to: number): string {
  const text = bytes.toString('utf8', from, to)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}

function pointerOf(path: string | undefined): string[] {
  if (path === undefined || path === '') return []
  return path
    .slice(1)
    .split('/')
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Pointers to the lists that a caller may have meant. */
function listsIn(bytes: Buffer): string[] {
  const scan = new JsonScan(bytes)
  const found: string[] = []
  const look = (path: string, depth: number) => {
    if (scan.peek() === 0x5b) found.push(path)
    if (scan.peek() !== 0x7b || depth > 3) {
      scan.skip()
      return
    }
    scan.members((from, to) => {
      const key = keyText(bytes, from, to).replaceAll('~', '~0').replaceAll('/', '~1')
      look(`${path}/${key}`, depth + 1)
    })
  }
  look('', 0)
  return found.slice(0, 10)
}
