/** What the search for an assignment knows: prices of rows and columns, and which row each column has. */
interface Prices {
  rows: Float64Array
  columns: Float64Array
  rowOf: Int32Array
}

/** Gives each row at most one column so that the gains together are the most (the Hungarian method). -1 where it has none. */
export function assignBest(gains: readonly (readonly number[])[], columns: number): number[] {
  const size = Math.max(gains.length, columns)
  const prices: Prices = {
    rows: new Float64Array(size + 1),
    columns: new Float64Array(size + 1),
    rowOf: new Int32Array(size + 1),
  }
  const cost = (row: number, column: number) => -(gains[row - 1]?.[column - 1] ?? 0)
  for (let row = 1; row <= size; row++) addRow(row, size, prices, cost)
  return readAssignment(prices.rowOf, gains, columns)
}

/** Finds the cheapest chain of changes that gives one row more a column. Row and column 0 stand for none. */
function addRow(row: number, size: number, prices: Prices, cost: (row: number, column: number) => number): void {
  const { rowOf } = prices
  const before = new Int32Array(size + 1)
  const least = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY)
  const isUsed = new Uint8Array(size + 1)
  rowOf[0] = row
  let column = 0
  do {
    isUsed[column] = 1
    lowerCosts(column, { least, before, isUsed }, prices, cost)
    const next = findCheapest(least, isUsed)
    shiftPrices(least[next]!, { least, isUsed }, prices)
    column = next
  } while (rowOf[column] !== 0)
  while (column !== 0) {
    rowOf[column] = rowOf[before[column]!]!
    column = before[column]!
  }
}

interface Chain {
  least: Float64Array
  before: Int32Array
  isUsed: Uint8Array
}

function lowerCosts(
  column: number,
  { least, before, isUsed }: Chain,
  { rows, columns, rowOf }: Prices,
  cost: (row: number, column: number) => number,
): void {
  const row = rowOf[column]!
  for (let at = 1; at < least.length; at++) {
    if (isUsed[at]) continue
    const reduced = cost(row, at) - rows[row]! - columns[at]!
    if (reduced >= least[at]!) continue
    least[at] = reduced
    before[at] = column
  }
}

function findCheapest(least: Float64Array, isUsed: Uint8Array): number {
  let cheapest = 0
  for (let at = 1; at < least.length; at++) {
    if (!isUsed[at] && (cheapest === 0 || least[at]! < least[cheapest]!)) cheapest = at
  }
  return cheapest
}

function shiftPrices(by: number, { least, isUsed }: Omit<Chain, 'before'>, { rows, columns, rowOf }: Prices): void {
  for (let at = 0; at < least.length; at++) {
    if (isUsed[at]) {
      rows[rowOf[at]!]! += by
      columns[at]! -= by
    } else least[at]! -= by
  }
}

function readAssignment(rowOf: Int32Array, gains: readonly (readonly number[])[], columns: number): number[] {
  const found = gains.map(() => -1)
  for (let column = 1; column <= columns; column++) {
    const row = rowOf[column]! - 1
    if (row >= 0 && row < gains.length && gains[row]![column - 1]! > 0) found[row] = column - 1
  }
  return found
}
