import { Problem } from '#kit'
import { expressionFunction, pad, sequence as sequenceOf, transforms } from './vega-parts.ts'

export const MAX_MARKS = 50_000
/** Rows that a transform may make. */
const MAX_MADE = 200_000
const MAX_GRID = 4_000_000
const MAX_PAD = 10_000

function refuse(actual: number, of: string): never {
  throw new Problem('TOO_MANY_ROWS', { limit: MAX_MADE, actual, of })
}

type Row = Record<string, unknown>
type Values = Record<string, unknown> & { step?: number; start?: number; stop?: number }
interface Pulse {
  source?: Row[]
  add?: Row[]
}

const number = (value: unknown, fallback: number) => (typeof value === 'number' ? value : fallback)
const rowsOf = ({ source, add }: Pulse) => source ?? add ?? []

/** How many rows each transform is about to make, from its settings as they were computed. */
const ESTIMATES: Record<string, (settings: Values, pulse: Pulse) => number> = {
  sequence: ({ start = 0, stop = 0, step = 1 }) => Math.abs((stop - start) / (step || 1)),
  cross: (_, pulse) => rowsOf(pulse).length ** 2,
  flatten: ({ fields }, pulse) => {
    const read = [fields].flat() as ((row: Row) => unknown)[]
    const lengthOf = (value: unknown) => number((value as { length?: unknown } | null)?.length, 0)
    return rowsOf(pulse).reduce((sum, row) => sum + Math.max(0, ...read.map(field => lengthOf(field(row)))), 0)
  },
  fold: ({ fields }, pulse) => rowsOf(pulse).length * [fields].flat().length,
  impute: ({ keyvals }, pulse) => rowsOf(pulse).length * Math.max(1, [keyvals].flat().length),
  kde: ({ steps, maxsteps }, pulse) =>
    (Math.max(1, rowsOf(pulse).length) * Math.max(number(steps, 0), number(maxsteps, 0))) / 4,
  density: ({ steps, maxsteps }) => Math.max(number(steps, 0), number(maxsteps, 200)),
  sample: ({ size }) => number(size, 0),
  force: ({ iterations }, pulse) => (rowsOf(pulse).length * number(iterations, 300)) / 100,
  graticule: ({ step, precision }) =>
    360 ** 2 /
    Math.max(0.001, Math.min(...([step].flat() as number[]).map(Number).filter(Boolean), 10)) /
    Math.max(0.1, number(precision, 2.5)),
}

const GRIDS = ['contour', 'isocontour', 'kde2d', 'heatmap']

/** Lets every transform that can make more than it is given stop before it does. */
export function limitTransforms(): void {
  for (const [name, estimate] of Object.entries(ESTIMATES))
    wrap(name, (settings, pulse) => {
      const made = estimate(settings, pulse)
      if (!(made <= MAX_MADE)) refuse(made, name)
    })
  for (const name of GRIDS)
    wrap(name, ({ size, cellSize }) => {
      const cells = ([size].flat() as unknown[]).map(side => number(side, 1)).reduce((area, side) => area * side, 1)
      if (cells / Math.max(1, number(cellSize, 1)) > MAX_GRID) refuse(cells, name)
    })
  expressionFunction('sequence', (...range: number[]) => {
    const [start, stop, step] = range.length > 1 ? [range[0]!, range[1]!, range[2] ?? 1] : [0, range[0]!, 1]
    const made = Math.abs((stop - start) / (step || 1))
    if (!(made <= MAX_MADE)) refuse(made, 'sequence()')
    return sequenceOf(start, stop, step)
  })
  expressionFunction('pad', (text: unknown, length: number, ...more: [string?, string?]) => {
    if (!(length <= MAX_PAD)) throw new Problem('CHART_SPEC_INVALID', { reason: `pad() to more than ${MAX_PAD}` })
    return pad(String(text), length, ...more)
  })
}

function wrap(name: string, check: (settings: Values, pulse: Pulse) => void): void {
  const prototype = transforms[name]?.prototype
  if (!prototype) return
  const { transform } = prototype
  prototype.transform = function (settings, pulse) {
    check(settings, pulse)
    return transform.call(this, settings, pulse)
  }
}
