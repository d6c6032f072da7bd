import { Problem } from '#kit'
import { findScale, type Row, requireColumns } from './data.ts'
import { fitLevel } from './label-angle.ts'

export const LITE_TYPES = ['bar', 'line', 'area', 'pie', 'donut', 'scatter', 'histogram', 'heatmap', 'box'] as const
export const SHAPE_TYPES = ['candlestick', 'gauge', 'radar', 'treemap', 'sankey', 'funnel'] as const

export interface SimpleChart {
  type: (typeof LITE_TYPES)[number] | (typeof SHAPE_TYPES)[number]
  x?: string
  y?: string | string[]
  color?: string
  size?: string
  stack?: boolean
  title?: string
  subtitle?: string
  xTitle?: string
  yTitle?: string
  legend: boolean
  format?: { x?: string; y?: string }
  palette?: string[]
  labels: boolean
  /** Of the whole chart, in pixels. */
  width?: number
}

type Channel = Record<string, unknown>

export function requireField<Name extends 'x' | 'y' | 'color'>(
  chart: SimpleChart,
  name: Name,
): NonNullable<SimpleChart[Name]> {
  const value = chart[name]
  if (value === undefined || value.length === 0) throw new Problem('MISSING_FIELD', { field: name, type: chart.type })
  return value as NonNullable<SimpleChart[Name]>
}

/** The Vega-Lite specification of a simple chart. */
export function buildLiteSpec(chart: SimpleChart, rows: readonly Row[]): Record<string, unknown> {
  const ys = chart.y === undefined ? [] : [chart.y].flat()
  requireColumns(rows, [chart.x, ...ys, chart.color, chart.size])
  const { title: text = '', subtitle } = chart
  const title = text || subtitle ? { title: { text, subtitle } } : {}
  const body = BUILDERS[chart.type as (typeof LITE_TYPES)[number]](chart, rows, ys)
  return { ...title, data: { values: placeInTime(rows, listTimes(body)) }, ...body }
}

const DAY = /^\d{4}-\d\d(-\d\d)?$/

/** A day begins when it does in the zone of the chart; JavaScript would take it for a time in UTC. */
function placeInTime(rows: readonly Row[], times: ReadonlySet<unknown>): Row[] {
  const isDay = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)
  const place = ([name, value]: [string, unknown]) =>
    [name, times.has(name) && isDay(value) ? `${value}T00:00` : value] as const
  return rows.map(row => Object.fromEntries(Object.entries(row).map(place)))
}

/** The columns that have an axis of time. What is a name elsewhere stays as it is. */
function listTimes(body: unknown, times = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof body !== 'object' || body === null) return times
  const { field, type } = body as { field?: unknown; type?: unknown }
  if (type === 'temporal') times.add(field)
  for (const inner of Object.values(body)) listTimes(inner, times)
  return times
}

type Build = (chart: SimpleChart, rows: readonly Row[], ys: readonly string[]) => Record<string, unknown>

const BUILDERS: Record<(typeof LITE_TYPES)[number], Build> = {
  bar: buildSeries({ type: 'bar' }),
  line: buildSeries({ type: 'line', point: true }),
  area: buildSeries({ type: 'area', line: true, opacity: 0.7 }),
  pie: buildPie(0),
  donut: buildPie(0.55),
  scatter: (chart, rows) => {
    const [x, y] = [requireField(chart, 'x'), [requireField(chart, 'y')].flat()[0]!]
    const size = chart.size === undefined ? {} : { size: { field: chart.size, type: 'quantitative' } }
    const encoding = { x: axis(chart, 'x', x, rows), y: axis(chart, 'y', y, rows), ...colorBy(chart, rows), ...size }
    return { mark: { type: 'point', filled: true, opacity: 0.8 }, encoding }
  },
  histogram: chart => {
    const x = { ...named(chart, 'x'), field: requireField(chart, 'x'), bin: { maxbins: 30 }, type: 'quantitative' }
    return { mark: 'bar', encoding: { x, y: { ...named(chart, 'y'), aggregate: 'count' } } }
  },
  heatmap: (chart, rows) => {
    const y = { field: [requireField(chart, 'y')].flat()[0]!, type: 'ordinal', sort: null, ...named(chart, 'y') }
    const x = nameAcross(chart, rows, { field: requireField(chart, 'x'), type: 'ordinal' })
    const color = { field: requireField(chart, 'color'), type: 'quantitative', ...legendOf(chart) }
    requireNumbers(rows, color.field)
    return { mark: 'rect', encoding: { x, y, color } }
  },
  box: (chart, rows) => {
    const y = [requireField(chart, 'y')].flat()[0]!
    const x = chart.x === undefined ? {} : { x: nameAcross(chart, rows, { field: chart.x, type: 'nominal' }) }
    return { mark: 'boxplot', encoding: { ...x, y: axis(chart, 'y', y, rows) } }
  },
}

/** Bars, lines and areas, with one series for each column of y, or for each value of the colour's column. */
function buildSeries(mark: Channel): Build {
  return (chart, rows, ys) => {
    requireField(chart, 'y')
    for (const y of ys) requireNumbers(rows, y)
    const isFolded = ys.length > 1
    const field = isFolded ? 'value' : ys[0]!
    const series = isFolded
      ? { color: { field: 'series', type: 'nominal', sort: null, ...legendOf(chart, '') } }
      : colorBy(chart, rows)
    const encoding = {
      x: buildAcross(chart, rows, mark.type === 'bar'),
      y: { field, type: 'quantitative', ...stackOf(chart), ...named(chart, 'y', isFolded ? '' : undefined) },
      ...series,
      ...(mark.type === 'bar' && chart.stack === false && besideBy(series)),
    }
    const transform = isFolded ? { transform: [{ fold: ys, as: ['series', 'value'] }] } : {}
    return { ...transform, ...withLabels(chart, { mark, encoding }, { field, type: 'quantitative' }) }
  }
}

/** Bars stand beside each other, unless they are many in time. */
function buildAcross(chart: SimpleChart, rows: readonly Row[], isBar: boolean): Channel {
  const field = requireField(chart, 'x')
  const found = findScale(rows, field)
  if (isBar && found === 'temporal' && chart.format?.x === undefined && areFewDates(rows, field))
    return { ...nameAcross(chart, rows, { field, type: 'ordinal' }), sort: 'ascending' }
  const type = isBar && found !== 'temporal' ? 'ordinal' : found
  const isDiscrete = type === 'ordinal' || type === 'nominal'
  return isDiscrete ? nameAcross(chart, rows, { field, type }) : { field, type, ...named(chart, 'x') }
}

const MAX_DATES = 40

/** Days or months that have room for a bar and its name each. On an axis of time a month is as thin as an hour. */
function areFewDates(rows: readonly Row[], field: string): boolean {
  const values = new Set(rows.map(row => row[field]))
  return values.size <= MAX_DATES && [...values].every(value => !String(value ?? '').includes(':'))
}

/** An axis of names in the order of the rows. */
function nameAcross(chart: SimpleChart, rows: readonly Row[], channel: { field: string; type: string }): Channel {
  const { axis, ...rest } = named(chart, 'x') as { axis?: Channel }
  const hasLegend = chart.legend && (chart.color !== undefined || [chart.y].flat().length > 1)
  const isLevel = fitLevel(rows, channel.field, { width: chart.width ?? DEFAULT_WIDTH, hasLegend })
  return { ...channel, sort: null, ...rest, axis: { ...axis, ...(isLevel && { labelAngle: 0 }) } }
}

const DEFAULT_WIDTH = 800

function stackOf({ stack }: SimpleChart): Channel {
  return stack === undefined ? {} : { stack: stack ? 'zero' : null }
}

function besideBy({ color }: { color?: Channel }): Channel {
  return color ? { xOffset: { field: color.field, sort: null } } : {}
}

function buildPie(hole: number): Build {
  return (chart, rows) => {
    const [x, y] = [requireField(chart, 'x'), [requireField(chart, 'y')].flat()[0]!]
    requireNumbers(rows, y)
    const encoding = {
      theta: { field: y, type: 'quantitative', stack: true },
      color: { field: x, type: 'nominal', sort: null, ...legendOf(chart, chart.xTitle) },
      order: { field: x, type: 'nominal', sort: null },
    }
    const arc = { type: 'arc', ...(hole > 0 && { innerRadius: { expr: `min(width, height) / 2 * ${hole}` } }) }
    if (!chart.labels) return { mark: arc, encoding }
    const text = { type: 'text', radius: { expr: 'min(width, height) / 2 * 0.8' }, fontWeight: 'bold' }
    const label = { text: { field: y, type: 'quantitative', ...formatOf(chart, 'y') }, color: { value: '#fff' } }
    return {
      encoding: { theta: encoding.theta, order: encoding.order },
      layer: [
        { mark: arc, encoding: { color: encoding.color } },
        { mark: text, encoding: label },
      ],
    }
  }
}

function withLabels(
  chart: SimpleChart,
  body: { mark: Channel; encoding: Channel },
  text: Channel,
): Record<string, unknown> {
  if (!chart.labels) return body
  const label = { mark: { type: 'text', dy: -8 }, encoding: { text: { ...text, ...formatOf(chart, 'y') } } }
  return { encoding: body.encoding, layer: [{ mark: body.mark }, label] }
}

function axis(chart: SimpleChart, name: 'x' | 'y', field: string, rows: readonly Row[]): Channel {
  const type = findScale(rows, field)
  return { field, type, ...named(chart, name), ...(type === 'quantitative' && { scale: { zero: false } }) }
}

function named(chart: SimpleChart, name: 'x' | 'y', fallback?: string): Channel {
  const title = (name === 'x' ? chart.xTitle : chart.yTitle) ?? fallback
  const format = chart.format?.[name]
  return { ...(title !== undefined && { title }), ...(format !== undefined && { axis: { format } }) }
}

function formatOf(chart: SimpleChart, name: 'x' | 'y'): Channel {
  return chart.format?.[name] === undefined ? {} : { format: chart.format[name] }
}

function colorBy(chart: SimpleChart, rows: readonly Row[]): { color?: Channel } {
  if (chart.color === undefined) return {}
  return { color: { field: chart.color, type: findScale(rows, chart.color), sort: null, ...legendOf(chart) } }
}

function legendOf({ legend }: SimpleChart, title?: string): Channel {
  return legend ? (title === undefined ? {} : { title }) : { legend: null }
}

export function requireNumbers(rows: readonly Row[], column: string): void {
  requireColumns(rows, [column])
  const wrong = rows.findIndex(
    row => row[column] !== null && row[column] !== undefined && typeof row[column] !== 'number',
  )
  if (wrong >= 0)
    throw new Problem('TYPE_MISMATCH', {
      column,
      row: wrong + 1,
      value: String(rows[wrong]![column]).slice(0, 80),
      type: 'number',
    })
}
