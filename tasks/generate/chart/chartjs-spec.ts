import { Problem } from '#kit'
import type { ChartJs, Dataset, Scale } from './chartjs-config.ts'
import type { Row } from './data.ts'

type Channel = Record<string, unknown>
type Settings = { palette: readonly string[] }

const COLORS = ['#4c78a8', '#f58518', '#e45756', '#72b7b2', '#54a24b', '#eeca3b', '#b279a2', '#ff9da6', '#9d755d']

/** The Vega-Lite specification of a configuration of Chart.js. */
export function translateChartJs(chart: ChartJs, palette: readonly string[] = COLORS): Record<string, unknown> {
  const { title, subtitle } = chart
  const head = title || subtitle ? { title: { text: title ?? '', subtitle } } : {}
  const isRound = chart.type === 'pie' || chart.type === 'doughnut'
  return { ...head, ...(isRound ? buildRound(chart, { palette }) : buildSeries(chart, { palette })) }
}

/** The rows of a radar: one for each label, with a column for each set. */
export function listRadarRows({ labels, datasets }: ChartJs): { rows: Row[]; names: string[] } {
  const names = datasets.map(nameOf)
  const rows = labels.map((label, index) => ({
    [LABEL]: label,
    ...Object.fromEntries(datasets.map(({ data }, set) => [names[set]!, readValue(data[index])])),
  }))
  return { rows, names }
}

export const LABEL = 'label'

/** Equal names would become one set. */
function nameOf({ label }: Dataset, index: number, all: readonly Dataset[]): string {
  const name = label ?? `${index + 1}`
  return all.findIndex((other, at) => (other.label ?? `${at + 1}`) === name) === index ? name : `${name} (${index + 1})`
}

function readValue(value: Dataset['data'][number] | undefined): number | null {
  return typeof value === 'number' ? value : (value?.y ?? null)
}

function pickColor(colors: string | readonly string[] | undefined, index = 0): string | undefined {
  return typeof colors === 'string' ? colors : colors?.[index % colors.length]
}

function describeLegend({ legend }: ChartJs): Channel {
  return { legend: legend ? { orient: legend, title: null } : null }
}

function buildRound(chart: ChartJs, { palette }: Settings): Channel {
  const { labels, datasets, type } = chart
  const [set, other] = datasets
  if (other) throw new Problem('CHART_SPEC_INVALID', { path: '/data/datasets/1', reason: 'one ring is drawn' })
  const values = set!.data.map((value, index) => ({
    [LABEL]: labels[index] ?? `${index + 1}`,
    value: readValue(value),
  }))
  const domain = values.map(row => row[LABEL])
  const range = domain.map((_, index) => pickColor(set!.backgroundColor, index) ?? palette[index % palette.length])
  const hole = type === 'doughnut' ? { innerRadius: { expr: 'min(width, height) / 4' } } : {}
  const { borderColor, borderWidth: strokeWidth = 2 } = set!
  return {
    data: { values },
    mark: { type: 'arc', ...hole, stroke: pickColor(borderColor) ?? 'white', strokeWidth },
    encoding: {
      theta: { field: 'value', type: 'quantitative', stack: true },
      color: { field: LABEL, type: 'nominal', sort: null, scale: { domain, range }, ...describeLegend(chart) },
      order: { field: 'index', type: 'quantitative' },
    },
    transform: [{ window: [{ op: 'row_number', as: 'index' }] }],
  }
}

const SERIES = 'series'

/** Bars, lines and points: a layer for each way of drawing, with one scale of colours. */
function buildSeries(chart: ChartJs, { palette }: Settings): Channel {
  const { datasets, type } = chart
  const names = datasets.map(nameOf)
  const values = datasets.flatMap((set, index) => listRows(chart, set, names[index]!))
  const kinds: string[] = datasets.map(set => set.type ?? (type === 'scatter' || type === 'bubble' ? 'point' : type))
  const range = datasets.map((set, index) => {
    const [first, second] = [pickColor(set.backgroundColor), pickColor(set.borderColor)]
    const color = kinds[index] === 'line' ? (second ?? first) : (first ?? second)
    return color ?? palette[index % palette.length]
  })
  const color = {
    field: SERIES,
    type: 'nominal',
    sort: null,
    scale: { domain: names, range },
    ...describeLegend(chart),
  }
  const scales = turn(chart, describeScale(chart, 'x', kinds), describeScale(chart, 'y', kinds))
  const layer = datasets.flatMap((set, index) =>
    buildLayers(chart, set, { kind: kinds[index]!, name: names[index]!, kinds }),
  )
  return { data: { values }, encoding: { ...scales, color }, layer: mergeBars(layer) }
}

/** Bars of all sets are one layer, so that they are stacked or stand side by side. */
function mergeBars(layers: readonly Channel[]): Channel[] {
  const bars: readonly Channel[] = layers.filter(({ isBar }) => isBar)
  const others = layers.filter(({ isBar }) => !isBar)
  const [first] = bars
  const list = first
    ? [{ ...first, transform: [{ filter: { field: SERIES, oneOf: bars.map(({ name }) => name) } }] }]
    : []
  return ([...list, ...others] as Channel[]).map(({ isBar: _, name: __, ...layer }) => layer)
}

function listRows({ labels, type }: ChartJs, { data, backgroundColor }: Dataset, series: string): Row[] {
  return data.map((value, index) => {
    const point = typeof value === 'object' ? value : undefined
    const label = point?.x ?? labels[index] ?? index + 1
    const color = Array.isArray(backgroundColor) ? { color: pickColor(backgroundColor, index) } : {}
    const area = type === 'bubble' && point ? { area: Math.PI * (point.r ?? 3) ** 2 } : {}
    return { [LABEL]: label, value: readValue(value), [SERIES]: series, ...color, ...area }
  })
}

function turn({ isHorizontal }: ChartJs, x: Channel, y: Channel): Channel {
  return isHorizontal ? { x: y, y: x } : { x, y }
}

const KINDS = { linear: 'quantitative', logarithmic: 'quantitative', category: 'ordinal', time: 'temporal' } as const

/** The axis of the labels, or that of the values; lying bars exchange them. */
function describeScale(chart: ChartJs, name: 'x' | 'y', kinds: readonly string[]): Channel {
  const config: Scale = chart.isHorizontal ? chart[name === 'x' ? 'y' : 'x'] : chart[name]
  const { type = 'category', display, title } = config
  const isValue = name === 'y' || !kinds.some(kind => kind !== 'point')
  const measure = isValue && !config.type ? 'quantitative' : KINDS[type]
  const isNumber = measure === 'quantitative'
  const hasBars = name === 'y' && kinds.some(kind => kind === 'bar')
  return {
    field: name === 'x' ? LABEL : 'value',
    type: measure,
    title: (title?.display !== false && title?.text) || null,
    axis: display === false ? null : describeAxis(config, isValue),
    ...(isNumber ? { scale: describeRange(config, hasBars) } : { sort: null }),
  }
}

function describeAxis({ grid }: Scale, isValue: boolean): Channel {
  return { ...(grid?.display === false && { grid: false }), ...(!isValue && { labelAngle: 0, labelOverlap: true }) }
}

function describeRange({ type, min, max, beginAtZero }: Scale, hasBars: boolean): Channel {
  const limits = { ...(min !== undefined && { domainMin: min }), ...(max !== undefined && { domainMax: max }) }
  return { ...(type === 'logarithmic' ? { type: 'log' } : { zero: beginAtZero ?? hasBars, nice: true }), ...limits }
}

interface Drawn {
  kind: string
  name: string
  kinds: readonly string[]
}

function buildLayers(chart: ChartJs, set: Dataset, { kind, name, kinds }: Drawn): Channel[] {
  const only = { transform: [{ filter: { field: SERIES, equal: name } }] }
  if (kind === 'bar') return [{ ...buildBars(chart, kinds), isBar: true, name }]
  const layers = kind === 'point' ? [buildPoints(chart, set)] : buildLines(chart, set)
  return layers.map(layer => ({ ...only, ...layer }))
}

const measureDot = (radius = 3) => Math.PI * radius ** 2

function buildPoints({ type }: ChartJs, { pointRadius }: Dataset): Channel {
  const mark = { type: 'point', filled: true, opacity: 1 }
  if (type === 'bubble') return { mark, encoding: { size: { field: 'area', type: 'quantitative', scale: null } } }
  return { mark: { ...mark, size: measureDot(pointRadius) } }
}

function buildLines(chart: ChartJs, set: Dataset): Channel[] {
  const { pointRadius, borderWidth: strokeWidth = 3, tension = set.lineTension ?? 0 } = set
  const stack = isStacked(chart) ? 'zero' : null
  const encoding = { [chart.isHorizontal ? 'x' : 'y']: { field: 'value', type: 'quantitative', stack } }
  const interpolate = tension > 0 ? 'monotone' : 'linear'
  const point = pointRadius === 0 ? false : { size: measureDot(pointRadius) }
  const line = { mark: { type: 'line', interpolate, strokeWidth, point }, encoding }
  if (!set.fill) return [line]
  const fill = pickColor(set.backgroundColor)
  return [{ mark: { type: 'area', interpolate, ...(fill ? { color: fill } : { opacity: 0.3 }) }, encoding }, line]
}

function isStacked({ x, y, isHorizontal }: ChartJs): boolean {
  return (isHorizontal ? x : y).stacked === true
}

function buildBars(chart: ChartJs, kinds: readonly string[]): Channel {
  const bars = chart.datasets.filter((_, index) => kinds[index] === 'bar')
  const [value, offset] = chart.isHorizontal ? ['x', 'yOffset'] : ['y', 'xOffset']
  const isColored = bars.some(({ backgroundColor }) => Array.isArray(backgroundColor))
  if (isColored && bars.length > 1)
    throw new Problem('CHART_SPEC_INVALID', { path: '/data/datasets', reason: 'a colour for each bar needs one set' })
  const stack = isStacked(chart) ? 'zero' : null
  return {
    mark: { type: 'bar', ...describeBorder(bars) },
    encoding: {
      [value!]: { field: 'value', type: 'quantitative', stack },
      ...(!stack && bars.length > 1 && { [offset!]: { field: SERIES, sort: null } }),
      ...(isColored && { color: { field: 'color', type: 'nominal', scale: null, legend: null } }),
    },
  }
}

/** All bars have one border. */
function describeBorder([first, ...others]: readonly Dataset[]): Channel {
  const isEqual = others.every(
    ({ borderWidth, borderColor }) =>
      borderWidth === first?.borderWidth && (!borderWidth || borderColor === first?.borderColor),
  )
  if (!isEqual)
    throw new Problem('CHART_SPEC_INVALID', { path: '/data/datasets', reason: 'all bars have the same border' })
  const { borderWidth, borderColor } = first ?? {}
  return borderWidth ? { stroke: pickColor(borderColor) ?? '#888888', strokeWidth: borderWidth } : {}
}
