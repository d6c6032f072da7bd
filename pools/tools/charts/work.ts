/** What a transform is set to, computed, and what it reads. */
export type Settings = Record<string, unknown>
export type Row = Record<string, unknown>
type Accessor = (row: Row) => unknown

export const number = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback)

/** Of these, a window computes each value from all rows of its frame, and other aggregates from those that come and go. */
const WHOLE_FRAMES = /^(median|q1|q3|ci0|ci1|values|exponential.*)$/
/** The same, where a row leaves the frame. */
const EXTREMES = /^(min|max|argmin|argmax)$/
const LOESS_PASSES = 3
const ORDER = 3
const LEVELS = 10

/** Roughly how many steps a transform is about to take, of those that take more than a few for each row. */
export const WORK: Record<string, (settings: Settings, rows: readonly Row[]) => number> = {
  window: ({ ops, groupby, frame }, rows) => {
    const [from, to] = (frame as (number | null)[] | undefined) ?? [null, 0]
    const isRead = (op: unknown) => WHOLE_FRAMES.test(String(op)) || (from != null && EXTREMES.test(String(op)))
    if (!toList(ops).some(isRead)) return 0
    const wide = from == null || to == null ? Number.POSITIVE_INFINITY : Math.max(1, to - from + 1)
    return sumGroups(rows, groupby, size => size * Math.min(size, wide))
  },
  loess: ({ groupby, bandwidth }, rows) =>
    sumGroups(rows, groupby, size => size ** 2 * number(bandwidth, 0.3) * LOESS_PASSES),
  regression: ({ method, order }, rows) => (method === 'poly' ? rows.length * number(order, ORDER) ** 2 : 0),
  pivot: ({ field, limit }, rows) => rows.length * Math.min(countValues(rows, field), number(limit, 0) || rows.length),
  density: ({ distribution, steps, maxsteps }) =>
    Math.max(number(steps, 0), number(maxsteps, 200)) * countSamples(distribution),
  force: ({ iterations, forces }, rows) => {
    const ticks = number(iterations, 300)
    const collides = toList(forces).some(force => (force as { force?: unknown }).force === 'collide')
    return rows.length * ticks * (collides ? rows.length / 20 : 50)
  },
  isocontour: ({ field, levels, thresholds }, rows) => {
    const read = typeof field === 'function' ? (field as Accessor) : (row: Row) => row
    const count = Array.isArray(thresholds) ? thresholds.length : number(levels, LEVELS)
    return rows.reduce((sum, row) => sum + countCells(read(row)) * count, 0)
  },
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
}

function sumGroups(rows: readonly Row[], groupby: unknown, work: (size: number) => number): number {
  const sizes = countKeys(rows, groupby)
  return [...sizes.values()].reduce((sum, size) => sum + work(size), 0)
}

/** How many rows have each combination of values. */
export function countKeys(rows: readonly Row[], fields: unknown): Map<string, number> {
  const accessors = toList(fields) as Accessor[]
  if (accessors.length === 0) return new Map([['', rows.length]])
  const counts = new Map<string, number>()
  for (const row of rows) {
    const key = accessors.map(read => String(read(row))).join('\0')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

export function countValues(rows: readonly Row[], field: unknown): number {
  return typeof field === 'function' ? countKeys(rows, field).size : 0
}

/** Only an estimate of densities reads its samples for every step; a mixture may be of several. */
function countSamples(distribution: unknown): number {
  const { from, distributions } = (distribution ?? {}) as { from?: unknown[]; distributions?: unknown[] }
  return (from?.length ?? 1) + toList(distributions).reduce((sum: number, one) => sum + countSamples(one), 0)
}

function countCells(grid: unknown): number {
  const { width, height } = (grid ?? {}) as { width?: unknown; height?: unknown }
  return number(width, 0) * number(height, 0)
}
