import { Problem } from '#kit'

// What would take more than some 20 million steps is refused before it runs: it took 6 to 35 seconds, and now takes one
// at most to refuse.

export const MAX_ROWS = 50_000
const MAX_NODES = 600_000
const MAX_DEPTH = 100
/** Views and layers that a specification is composed of, with those that it repeats. */
const MAX_VIEWS = 150
/** Fields whose text is a program. */
const EXPRESSIONS = /^(expr|signal|update|init|calculate|filter|test|.*Expr)$/

type Json = Record<string, unknown> | unknown[]

/** Refuses what would load something, what would differ tomorrow, and what is too much, before anything is drawn. */
export function checkSpec(spec: Record<string, unknown>): void {
  let nodes = 0
  const visit = (value: unknown, path: string, key: string, depth: number): void => {
    if (typeof value === 'string') checkText(value, path, key)
    if (typeof value !== 'object' || value === null) return
    checkSize(++nodes, depth)
    if (Array.isArray(value)) checkList(value, path, key)
    else checkKeys(value as Record<string, unknown>, path)
    for (const [name, child] of Object.entries(value as Json)) visit(child, `${path}/${name}`, name, depth + 1)
  }
  visit(spec, '', '', 0)
  const actual = countViews(spec)
  if (actual > MAX_VIEWS) throw new Problem('TOO_MANY_ROWS', { limit: MAX_VIEWS, actual, of: 'views' })
}

function checkSize(nodes: number, depth: number): void {
  if (nodes > MAX_NODES) throw new Problem('TOO_MANY_ROWS', { limit: MAX_NODES, of: 'values in the specification' })
  if (depth > MAX_DEPTH) throw new Problem('CHART_SPEC_INVALID', { reason: `nested deeper than ${MAX_DEPTH}` })
}

/** Each view that `repeat` makes has all views inside. */
function countViews(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const { layer, hconcat, vconcat, concat, spec, repeat, marks } = value as Record<string, unknown>
  const inside = [layer, hconcat, vconcat, concat, marks].filter(list => Array.isArray(list)).flat()
  const own = inside.reduce((sum: number, view) => sum + 1 + countViews(view), 0)
  return own + countRepeats(repeat) * (spec === undefined ? 0 : 1 + countViews(spec))
}

function countRepeats(repeat: unknown): number {
  if (Array.isArray(repeat)) return repeat.length
  if (typeof repeat !== 'object' || repeat === null) return 1
  return Object.values(repeat).reduce((product: number, list) => product * (Array.isArray(list) ? list.length : 1), 1)
}

function checkText(text: string, path: string, key: string): void {
  if (/^\s*(function\b|\(?[\w$, ]*\)?\s*=>)/.test(text))
    throw new Problem('CHART_SPEC_INVALID', { path, reason: 'functions are not run' })
  if (EXPRESSIONS.test(key) && /\bnow\s*\(/.test(text)) {
    throw new Problem('CHART_SPEC_INVALID', { path, reason: 'now() differs each time; pass the time in the data' })
  }
}

function checkList(list: unknown[], path: string, key: string): void {
  if (key === 'values' && list.length > MAX_ROWS)
    throw new Problem('TOO_MANY_ROWS', { limit: MAX_ROWS, actual: list.length, path })
}

/** Fields that say how much is made of something. */
const COUNTS = ['count', 'iterations', 'maxbins', 'maxsteps', 'order', 'steps', 'tickCount']
const MAX_COUNT = 10_000

function checkKeys(node: Record<string, unknown>, path: string): void {
  if (!isOfData(path)) checkFields(node, path)
  const mark = node.mark ?? node.type
  const type = typeof mark === 'object' && mark !== null ? (mark as { type?: unknown }).type : mark
  const isMark = node.mark !== undefined || /\/(marks\/\d+)$/.test(path)
  if (isMark && type === 'image') throw new Problem('CHART_EXTERNAL_DATA', { path: `${path}/mark` })
}

function checkFields(node: Record<string, unknown>, path: string): void {
  for (const name of COUNTS) {
    const actual = node[name]
    if (typeof actual === 'number' && actual > MAX_COUNT)
      throw new Problem('TOO_MANY_ROWS', { limit: MAX_COUNT, actual, path: `${path}/${name}` })
  }
  if (/projections?(\/\d+)?$/.test(path) && isTooFine(node.precision))
    throw new Problem('CHART_SPEC_INVALID', { path, reason: `a precision below ${MIN_PRECISION} of a pixel` })
  const source = ['url', 'href'].find(name => name in node)
  if (source !== undefined) throw new Problem('CHART_EXTERNAL_DATA', { path: `${path}/${source}` })
}

/** Lines on a sphere are split until they are so near to what they should be; 0 splits none. */
const MIN_PRECISION = 0.1

function isTooFine(precision: unknown): boolean {
  return typeof precision === 'number' && precision > 0 && precision < MIN_PRECISION
}

/** Rows of data may have any columns. */
function isOfData(path: string): boolean {
  return path.endsWith('/values') || /\/values\/\d+$/.test(path)
}

export function findKind({ $schema, ...spec }: Record<string, unknown>): 'vega' | 'vega-lite' {
  if (typeof $schema === 'string' && /\/vega-lite\//.test($schema)) return 'vega-lite'
  if (typeof $schema === 'string' && /\/vega\//.test($schema)) return 'vega'
  const isLite = ['mark', 'encoding', 'layer', 'hconcat', 'vconcat', 'concat', 'facet', 'repeat', 'spec'].some(
    name => name in spec,
  )
  if (!isLite && !('marks' in spec))
    throw new Problem('CHART_SPEC_INVALID', { path: '', reason: 'neither Vega nor Vega-Lite' })
  return isLite ? 'vega-lite' : 'vega'
}
