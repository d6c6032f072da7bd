import { setFlagsFromString } from 'node:v8'
import { Problem } from '#kit'
import { expressionFunction, pad, sequence as sequenceOf, transforms } from './vega-parts.ts'
import { countKeys, countValues, number, type Row, WORK } from './work.ts'

// Nesting, composition and counts are refused before drawing. A drawing may have five seconds on a processor, not of
// the clock, so that a busy machine draws what an idle one does.

export const MAX_MARKS = 50_000
/** Rows that a transform may make. */
const MAX_MADE = 200_000
const MAX_GRID = 4_000_000
const MAX_BINS = 50_000
/** Steps of a transform, which take about half a second. */
const MAX_WORK = 20_000_000
const MAX_PAD = 10_000
/** A view of its own, such as a cell of a grid, has about a hundred. */
const MAX_OPERATORS = 40_000

function refuse(actual: number, of: string): never {
  throw new Problem('TOO_MANY_ROWS', { limit: MAX_MADE, actual, of })
}

type Values = Record<string, unknown> & { step?: number; start?: number; stop?: number }
interface Pulse {
  source?: Row[]
  add?: Row[]
}

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
  impute: ({ key, groupby, keyvals }, pulse) => {
    const rows = rowsOf(pulse)
    return countKeys(rows, groupby).size * (countValues(rows, key) + (Array.isArray(keyvals) ? keyvals.length : 0))
  },
  kde: ({ steps, maxsteps }, pulse) =>
    (Math.max(1, rowsOf(pulse).length) * Math.max(number(steps, 0), number(maxsteps, 0))) / 4,
  density: ({ steps, maxsteps }) => Math.max(number(steps, 0), number(maxsteps, 200)),
  sample: ({ size }) => number(size, 0),
  graticule: ({ step, stepMajor, stepMinor, precision }) =>
    360 ** 2 /
    Math.max(0.001, Math.min(...([step, stepMajor, stepMinor].flat() as number[]).map(Number).filter(Boolean), 10)) /
    Math.max(0.1, number(precision, 2.5)),
  bin: ({ extent, span, step }) => {
    const [from = 0, to = 0] = (extent as number[] | undefined) ?? []
    return typeof step === 'number' && step > 0 ? (MAX_MADE / MAX_BINS) * (number(span, to - from) / step) : 0
  },
}

/** Names of the transforms that make the marks of axes and legends, of at most so many values. */
const GUIDES = ['axisticks', 'legendentries']
const MAX_TICKS = 5_000
/** Each of a scale of names has its own tick. */
const MAX_NAMES = 20_000

const GRIDS = ['contour', 'isocontour', 'kde2d', 'heatmap']

/** Lets every transform that can make more than it is given stop before it does. */
export function limitTransforms(): void {
  for (const [name, estimate] of Object.entries(ESTIMATES))
    wrap(name, (settings, pulse) => {
      const made = estimate(settings, pulse)
      if (!(made <= MAX_MADE)) refuse(made, name)
    })
  for (const [name, estimate] of Object.entries(WORK))
    wrap(name, (settings, pulse) => {
      const steps = estimate(settings, rowsOf(pulse))
      if (!(steps <= MAX_WORK))
        throw new Problem('TOO_MANY_ROWS', { limit: MAX_WORK, actual: Math.round(steps), of: `steps of ${name}` })
    })
  for (const name of GUIDES)
    wrap(name, ({ count, values, scale }) => {
      const made = Array.isArray(values) ? values.length : number(count, 0)
      if (!(made <= MAX_TICKS)) throw new Problem('TOO_MANY_ROWS', { limit: MAX_TICKS, actual: made, of: 'ticks' })
      const named = values === undefined ? countNames(scale) : 0
      if (named > MAX_NAMES)
        throw new Problem('TOO_MANY_ROWS', { limit: MAX_NAMES, actual: named, of: 'values on an axis' })
    })
  for (const name of GRIDS)
    wrap(name, ({ size, cellSize }) => {
      const cells = ([size].flat() as unknown[]).map(side => number(side, 1)).reduce((area, side) => area * side, 1)
      if (cells / Math.max(1, number(cellSize, 1)) > MAX_GRID) refuse(cells, name)
    })
}

/** A regular expression that tries too often is run by an engine that reads its text once. */
const LINEAR_REGEXPS = [
  '--enable-experimental-regexp-engine-on-excessive-backtracks',
  '--regexp-backtracks-before-fallback=20000',
]

/** Functions that read a whole list, which an expression may do again for each row. */
const LIST_FUNCTIONS = ['extent', 'indexof', 'join', 'lastindexof', 'pluck', 'reverse', 'slice', 'sort']
let readValues = 0

/** Each drawing may read as much as the one before. */
export function resetLimits(): void {
  readValues = 0
}

function limitLists(): void {
  for (const name of LIST_FUNCTIONS) {
    const run = expressionFunction(name)
    expressionFunction(name, function (this: unknown, list: { length?: number } | null, ...more: never[]) {
      readValues += number(list?.length, 0)
      if (readValues > MAX_WORK)
        throw new Problem('TOO_MANY_ROWS', { limit: MAX_WORK, of: `values read by ${name}() and the like` })
      return run.call(this, list, ...more)
    })
  }
}

export function limitExpressions(): void {
  for (const flag of LINEAR_REGEXPS) setFlagsFromString(flag)
  limitLists()
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

function countNames(scale: unknown): number {
  const { domain, ticks } = (scale ?? {}) as { domain?: () => unknown[]; ticks?: unknown }
  return ticks || !domain ? 0 : domain().length
}

interface Dataflow {
  add(...operator: unknown[]): unknown
}

/** Lets a drawing stop when its data makes more views of it than can be drawn. What it was declared with is there already. */
export function limitOperators<View>(view: View): View {
  const flow = view as Dataflow
  const { add } = flow
  let count = 0
  flow.add = function (...operator) {
    if (++count > MAX_OPERATORS)
      throw new Problem('TOO_MANY_ROWS', { limit: MAX_OPERATORS, of: 'operators of views in a grid' })
    return add.apply(this, operator)
  }
  return view
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
