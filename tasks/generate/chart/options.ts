import { Problem } from '#kit'
import { LITE_TYPES, type SimpleChart } from './simple.ts'

/** Charts are mostly seen on screens with two pixels to each point. */
export const DEFAULT_SCALE = 2

/** The options that only make sense with `type`. */
const SIMPLE_FIELDS = [
  ...(['data', 'x', 'y', 'color', 'size', 'stack', 'title', 'subtitle', 'xTitle', 'yTitle', 'format'] as const),
  ...(['legend', 'labels'] as const),
]

type Option = (typeof SIMPLE_FIELDS)[number] | 'locale' | 'timezone'

const SERIES = 'color stack xTitle yTitle legend labels format locale timezone'
const ROUND = 'xTitle legend labels format locale timezone'
/** What each kind of chart knows besides data, x, y, title and subtitle. */
const KNOWN: Readonly<Record<SimpleChart['type'], string>> = {
  ...{ bar: SERIES, line: SERIES, area: SERIES, pie: ROUND, donut: ROUND },
  scatter: 'color size xTitle yTitle legend format locale timezone',
  ...{ histogram: 'xTitle yTitle format locale', heatmap: 'color xTitle yTitle legend format locale' },
  ...{ box: 'xTitle yTitle format locale', candlestick: 'xTitle yTitle', gauge: '', radar: 'legend' },
  ...{ treemap: 'color', sankey: 'color', funnel: 'legend' },
}
const SEVERAL_Y: readonly string[] = ['bar', 'line', 'area', 'radar', 'candlestick']

type Given = Partial<Record<Option, unknown>> & { type?: SimpleChart['type']; y?: string | string[] }

/** Refuses options that the drawing would not show. */
export function checkOptions(input: Given & { outFormat: string; scale: number }): void {
  const { type, y, outFormat, scale } = input
  const conflict = (other: string, field: string | undefined) => {
    if (field) throw new Problem('CONFLICTING_OPTIONS', { fields: [other, field] })
  }
  if (scale !== DEFAULT_SCALE) conflict('outFormat', ['svg', 'pdf'].includes(outFormat) ? 'scale' : undefined)
  if (!type) return
  const known = new Set(['data', 'x', 'y', 'title', 'subtitle', ...KNOWN[type].split(' ')])
  const fields: Option[] = [...SIMPLE_FIELDS, 'locale', 'timezone']
  conflict(
    'type',
    fields.find(field => input[field] !== undefined && !known.has(field)),
  )
  if (input.subtitle !== undefined && input.title === undefined) throw new Problem('MISSING_FIELD', { field: 'title' })
  if (type === 'histogram' && y !== undefined) conflict('type', 'y')
  if (Array.isArray(y) && y.length > 1 && !SEVERAL_Y.includes(type))
    throw new Problem('INVALID_PARAM', { field: 'y', allowed: 'one column' })
}

/** A specification says itself what these options say. */
export function checkWithout(kind: 'spec' | 'chartjs', input: Given): void {
  const field = SIMPLE_FIELDS.find(name => input[name] !== undefined)
  if (field) throw new Problem('CONFLICTING_OPTIONS', { fields: [kind, field] })
}

export function isLite(type: SimpleChart['type']): boolean {
  return (LITE_TYPES as readonly string[]).includes(type)
}

/** Throws INVALID_PARAM if the zone is not of the database that is used here. */
export function checkTimezone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone && timezone
  } catch {
    throw new Problem('INVALID_PARAM', { field: 'timezone', allowed: 'a name such as Europe/Berlin' })
  }
}
