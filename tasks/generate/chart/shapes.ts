import { Problem } from '#kit'
import { type Row, requireColumns } from './data.ts'
import { requireField, requireNumbers, type SHAPE_TYPES, type SimpleChart } from './simple.ts'

const FONT = 'Noto Sans, DejaVu Sans, sans-serif'
const COLORS = ['#4c78a8', '#f58518', '#e45756', '#72b7b2', '#54a24b', '#eeca3b', '#b279a2', '#ff9da6', '#9d755d']

/** The ECharts option of the kinds of chart that Vega-Lite does not have. */
export function buildShapeOption(
  chart: SimpleChart,
  rows: readonly Row[],
  { isDark, background }: { isDark: boolean; background?: string },
): Record<string, unknown> {
  const ink = isDark ? '#e8e8e8' : '#222222'
  const title =
    chart.title || chart.subtitle
      ? { title: { text: chart.title ?? '', subtext: chart.subtitle, left: 'center', textStyle: { color: ink } } }
      : {}
  const isNamed = chart.legend && (chart.type === 'radar' || chart.type === 'funnel')
  const legend = isNamed ? { legend: { bottom: 0, textStyle: { color: ink } } } : {}
  return {
    ...{
      backgroundColor: background ?? 'transparent',
      color: chart.palette ?? COLORS,
      textStyle: { fontFamily: FONT, color: ink },
    },
    ...{ ...title, ...legend },
    ...BUILDERS[chart.type as (typeof SHAPE_TYPES)[number]](chart, rows),
  }
}

/** What takes more than a second to lay out; the other kinds are as fast as their rows. */
const MAX_SLICES = 5_000
const MAX_AXES = 2_000
const MAX_NODES = 3_000

export function checkShape({ type, x, color }: SimpleChart, rows: readonly Row[]): void {
  const refuse = (actual: number, limit: number, of: string) => {
    if (actual > limit) throw new Problem('TOO_MANY_ROWS', { limit, actual, of })
  }
  if (type === 'radar' || type === 'funnel') refuse(rows.length, MAX_AXES, type === 'radar' ? 'axes' : 'stages')
  if (type === 'pie' || type === 'donut') refuse(rows.length, MAX_SLICES, 'slices')
  if (type !== 'sankey') return
  const names = [x, color].flatMap(column => (column === undefined ? [] : rows.map(row => row[column])))
  refuse(new Set(names).size, MAX_NODES, 'nodes')
}

type Build = (chart: SimpleChart, rows: readonly Row[]) => Record<string, unknown>

const text = (value: unknown) => String(value ?? '')

const BUILDERS: Record<(typeof SHAPE_TYPES)[number], Build> = {
  candlestick: (chart, rows) => {
    const x = requireField(chart, 'x')
    const ys = [requireField(chart, 'y')].flat()
    if (ys.length !== 4)
      throw new Problem('INVALID_PARAM', { field: 'y', allowed: 'four columns: open, close, low, high' })
    requireColumns(rows, [x])
    for (const y of ys) requireNumbers(rows, y)
    return {
      xAxis: { type: 'category', data: rows.map(row => text(row[x])), name: chart.xTitle },
      yAxis: { type: 'value', scale: true, name: chart.yTitle },
      series: [{ type: 'candlestick', data: rows.map(row => ys.map(y => row[y])), ...styleCandles(chart) }],
    }
  },
  gauge: (chart, rows) => {
    const y = [requireField(chart, 'y')].flat()[0]!
    requireNumbers(rows, y)
    const [row] = rows
    const value = row![y] as number
    const max = value <= 1 ? 1 : 10 ** Math.ceil(Math.log10(Math.max(value, 1.0001)))
    const name = chart.x === undefined ? '' : text(row![chart.x])
    return {
      series: [{ type: 'gauge', min: Math.min(0, value), max, progress: { show: true }, data: [{ value, name }] }],
    }
  },
  radar: (chart, rows) => {
    const x = requireField(chart, 'x')
    const ys = [requireField(chart, 'y')].flat()
    for (const y of ys) requireNumbers(rows, y)
    requireColumns(rows, [x])
    const max = Math.max(...rows.flatMap(row => ys.map(y => (row[y] as number) ?? 0)))
    const data = ys.map(y => ({ name: y, value: rows.map(row => row[y] ?? 0), areaStyle: { opacity: 0.2 } }))
    return { radar: { indicator: rows.map(row => ({ name: text(row[x]), max })) }, series: [{ type: 'radar', data }] }
  },
  treemap: (chart, rows) => {
    const [x, y] = readPairs(chart, rows)
    const groups = Map.groupBy(rows, row => (chart.color === undefined ? '' : text(row[chart.color])))
    const leaves = (group: readonly Row[]) => group.map(row => ({ name: text(row[x]), value: row[y] }))
    const data =
      groups.size === 1 ? leaves(rows) : [...groups].map(([name, group]) => ({ name, children: leaves(group) }))
    return {
      series: [{ type: 'treemap', breadcrumb: { show: false }, roam: false, data, label: { show: true } }],
    }
  },
  sankey: (chart, rows) => {
    const [from, to, value] = [
      requireField(chart, 'x'),
      requireField(chart, 'color'),
      [requireField(chart, 'y')].flat()[0]!,
    ]
    requireColumns(rows, [from, to])
    requireNumbers(rows, value)
    const links = rows.map(row => ({ source: text(row[from]), target: text(row[to]), value: row[value] }))
    if (hasCycle(links))
      throw new Problem('CHART_SPEC_INVALID', { path: 'data', reason: 'the flows of a sankey form a circle' })
    const names = new Set(links.flatMap(({ source, target }) => [source, target]))
    return {
      series: [{ type: 'sankey', data: [...names].map(name => ({ name })), links, lineStyle: { color: 'gradient' } }],
    }
  },
  funnel: (chart, rows) => {
    const [x, y] = readPairs(chart, rows)
    const data = rows.map(row => ({ name: text(row[x]), value: row[y] }))
    return { series: [{ type: 'funnel', sort: 'none', data, label: { position: 'inside' } }] }
  },
}

/** The first colour is for what rose, the second for what fell. */
function styleCandles({ palette }: SimpleChart): Record<string, unknown> {
  if (!palette) return {}
  const [color, color0 = color] = palette
  return { itemStyle: { color, color0, borderColor: color, borderColor0: color0 } }
}

function readPairs(chart: SimpleChart, rows: readonly Row[]): [x: string, y: string] {
  const [x, y] = [requireField(chart, 'x'), [requireField(chart, 'y')].flat()[0]!]
  requireColumns(rows, [x, chart.color])
  requireNumbers(rows, y)
  return [x, y]
}

function hasCycle(links: readonly { source: string; target: string }[]): boolean {
  const open = new Map<string, Set<string>>()
  for (const { source, target } of links) open.set(target, (open.get(target) ?? new Set()).add(source))
  const names = new Set(links.flatMap(({ source, target }) => [source, target]))
  for (let left = names.size; names.size > 0; left = names.size) {
    for (const name of names) if (![...(open.get(name) ?? [])].some(source => names.has(source))) names.delete(name)
    if (names.size === left) return true
  }
  return false
}
