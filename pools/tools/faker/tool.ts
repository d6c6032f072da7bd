import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { Problem } from '#kit'
import { compileSchema } from '../../../tasks/engines/mock/json-schema.ts'
import { compileFields, type MockTable } from '../../../tasks/engines/mock/table.ts'
import { type Source, toMs } from '../../../tasks/engines/mock/values.ts'
import { hashText, mixSeed } from '../../../tasks/formats/random/seeded.ts'
import type { JobContext } from '../../job-context.ts'
import type { MadeTable, MockRequest } from './plan.ts'
import { openSource } from './source.ts'
import { writeTables } from './write.ts'

const MAX_ROWS = 1_000_000
const MAX_CELLS = 20_000_000

/** Makes tables of random values and writes them to files, row after row. */
export function bind(context: JobContext) {
  return {
    async make(request: MockRequest): Promise<{ tables: MadeTable[]; version: string }> {
      const source = await openSource(request.locale)
      const tables = compileTables(request, source)
      checkSizes(tables)
      return { tables: writeTables(tables, request, name => context.out(name)), version: await readVersion() }
    },
  }
}

function checkSizes(tables: readonly MockTable[]): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  if (rows > MAX_ROWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: rows })
  const cells = tables.reduce((sum, table) => sum + table.rows * table.columns.length, 0)
  if (cells > MAX_CELLS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_CELLS, actual: cells, of: 'cells' })
}

/** Our own generator's number, and the version of the names: another of either makes other values from a seed. */
async function readVersion(): Promise<string> {
  const manifest = findPackageJSON('@faker-js/faker', import.meta.url)!
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  return `1+faker-${version}`
}

function compileTables(request: MockRequest, source: Source): MockTable[] {
  const { seed, refDate, tables } = request
  const refMs = toMs(refDate)
  const known = new Map<string, MockTable>()
  for (const { name, at, fields, schema, unique, rows, perRow } of tables) {
    if (known.has(name)) throw new Problem('INVALID_PARAM', { field: at, allowed: 'distinct names of tables' })
    const first = known.values().next().value
    const size = perRow && first ? spread(first, perRow, mixSeed(seed, hashText(name)), source) : { rows: rows ?? 0 }
    const table = schema
      ? compileSchema({ name, ...size }, schema, { source, seed, refMs })
      : compileFields({ name, ...size }, fields!, { source, seed, refMs, at, unique, others: known })
    known.set(name, table)
  }
  return [...known.values()]
}

/** Decides how many rows each row of the first table gets. */
function spread(parent: MockTable, { min, max }: { min: number; max: number }, key: number, { random }: Source) {
  const ends = new Uint32Array(parent.rows)
  let rows = 0
  for (let row = 0; row < parent.rows; row++) {
    random.seed(mixSeed(key, row))
    rows += random.integer(min, Math.max(min, max))
    ends[row] = rows
  }
  const parentOf = (row: number) => {
    let [low, high] = [0, ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! > row) high = middle
      else low = middle + 1
    }
    return low
  }
  return { rows, parentOf }
}
