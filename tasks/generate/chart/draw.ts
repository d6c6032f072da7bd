import { type InputFile, type Outcome, type OutputFile, Problem, type RunContext, type Tools } from '#kit'
import { toHex } from '../../formats/svg/drawing.ts'
import { PRINT_OPTIONS, parseColors, renderDrawing } from '../schema.ts'
import { type ChartJs, readChartJs } from './chartjs-config.ts'
import { LABEL, listRadarRows, translateChartJs } from './chartjs-spec.ts'
import { checkSpec, findKind } from './check.ts'
import { type Row, readRows } from './data.ts'
import { checkOptions, checkTimezone, checkWithout, isLite } from './options.ts'
import { buildShapeOption, checkShape } from './shapes.ts'
import { buildLiteSpec, type SimpleChart } from './simple.ts'
import { buildConfig, describeLocale } from './theme.ts'

type ChartInput = Omit<SimpleChart, 'type' | 'legend' | 'labels'> & {
  spec?: Record<string, unknown>
  chartjs?: Record<string, unknown>
  legend?: boolean
  labels?: boolean
  type?: SimpleChart['type']
  data?: InputFile
  theme: 'light' | 'dark'
  background?: string
  width: number
  height: number
  scale: number
  outFormat: 'png' | 'svg' | 'webp' | 'pdf'
  locale?: string
  timezone?: string
}

type ChartTools = Pick<Tools, 'charts' | 'chromium' | 'color' | 'sharp'> & RunContext

interface ChartResult {
  output: OutputFile
  width: number
  height: number
  marks: number
  spec: Record<string, unknown>
}

export async function drawChart(input: ChartInput, tools: ChartTools): Promise<Outcome<ChartResult>> {
  checkOptions(input)
  const colors = await parseColors(tools.color, { background: input.background, ...namePalette(input.palette) })
  const { background } = colors as { background?: { r: number; g: number; b: number; a: number } }
  const look = {
    isDark: input.theme === 'dark',
    background: background && (background.a === 0 ? 'transparent' : toHex(background)),
  }
  const draw = input.spec ? drawSpec : input.chartjs ? drawChartJs : drawSimple
  const { svg, marks, messages, spec } = await draw(input, look, tools)
  const scale = input.outFormat === 'png' || input.outFormat === 'webp' ? input.scale : 1
  const output = await renderChart(svg, { ...input, scale }, tools)
  const size = { width: Math.round(input.width * scale), height: Math.round(input.height * scale) }
  const warnings = messages.map(message => ({ code: 'CHART_WARNING', message }))
  return { result: { output, ...size, marks, spec }, warnings }
}

function namePalette(palette: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(palette.map((color, index) => [`palette.${index}`, color]))
}

interface Look {
  isDark: boolean
  background?: string
}

async function drawSpec(input: ChartInput, look: Look, { charts }: ChartTools) {
  checkWithout('spec', input)
  const given = input.spec!
  checkSpec(given)
  const kind = findKind(given)
  const spec = { autosize: { type: 'fit', contains: 'padding' }, ...given, width: input.width, height: input.height }
  const drawn = await charts.drawVega({ spec, kind, ...settingsOf(input, look) })
  return { ...drawn, spec: withoutData(spec) }
}

async function drawChartJs(input: ChartInput, look: Look, tools: ChartTools) {
  checkWithout('chartjs', input)
  checkSpec(input.chartjs!)
  const chart = readChartJs(input.chartjs)
  await checkColors(chart, tools.color)
  if (chart.type !== 'radar') return drawLite(translateChartJs(chart, input.palette), input, look, tools)
  const { rows, names } = listRadarRows(chart)
  const [title, subtitle] = [chart.title, chart.subtitle].map(text => text && [text].flat().join('\n'))
  const simple = { type: 'radar', x: LABEL, y: names, legend: chart.legend !== undefined, labels: false } as const
  return drawShape({ ...simple, title, subtitle, palette: input.palette }, rows, input, look, tools)
}

async function checkColors({ datasets }: ChartJs, color: Tools['color']): Promise<void> {
  const fields = datasets.flatMap(({ backgroundColor = [], borderColor = [] }, index) =>
    [backgroundColor, borderColor].flat().map((text, at) => [`datasets.${index}.colors.${at}`, text] as const),
  )
  await parseColors(color, Object.fromEntries(fields))
}

async function drawSimple(input: ChartInput, look: Look, tools: ChartTools) {
  const chart = { legend: true, labels: false, ...input } as SimpleChart
  if (!input.data) throw new Problem('MISSING_FIELD', { field: 'data' })
  const rows = await readRows(input.data)
  if (!isLite(chart.type)) return drawShape(chart, rows, input, look, tools)
  checkShape(chart, rows)
  return drawLite(buildLiteSpec(chart, rows), input, look, tools)
}

async function drawShape(chart: SimpleChart, rows: Row[], input: ChartInput, look: Look, { charts }: ChartTools) {
  checkShape(chart, rows)
  const { width, height } = input
  const shown = look.background ?? (look.isDark ? '#16191d' : '#ffffff')
  const option = buildShapeOption(chart, rows, { ...look, background: shown })
  return { ...(await charts.drawEcharts({ option, width, height })), spec: withoutData(option) }
}

async function drawLite(body: Record<string, unknown>, input: ChartInput, look: Look, { charts }: ChartTools) {
  const { width, height } = input
  const spec = { ...body, width, height, autosize: { type: 'fit', contains: 'padding' } }
  const drawn = await charts.drawVega({ spec, kind: 'vega-lite', ...settingsOf(input, look) })
  return { ...drawn, spec: withoutData(spec) }
}

function settingsOf({ locale = 'en-US', palette, timezone = 'UTC' }: ChartInput, look: Look) {
  const config = buildConfig({ ...look, palette })
  return { config, locale: describeLocale(locale), timezone: checkTimezone(timezone) }
}

function withoutData(spec: Record<string, unknown>): Record<string, unknown> {
  const { data: _, series: __, ...rest } = spec
  return rest
}

const PIXELS_PER_INCH = 96
const NO_MARGIN = { top: 0, right: 0, bottom: 0, left: 0 }

async function renderChart(svg: string, input: ChartInput & { scale: number }, tools: ChartTools): Promise<OutputFile> {
  const { width, height, scale, outFormat } = input
  if (outFormat !== 'pdf') {
    const factor = outFormat === 'svg' ? 1 : scale
    const sized = svg.replace(/^<svg[^>]*>/, tag => resize(tag, width * factor, height * factor))
    return renderDrawing(sized, outFormat, 'chart', tools)
  }
  const to = tools.out('chart.pdf')
  const html = `<!doctype html><style>body{margin:0}svg{display:block;width:${width}px;height:${height}px}</style>${svg}`
  const page = { width: width / PIXELS_PER_INCH, height: height / PIXELS_PER_INCH, margin: NO_MARGIN }
  await tools.chromium.print({ html, assets: [] }, { ...PRINT_OPTIONS, ...page, maxPages: 1, ranges: '1' }, to)
  return { path: to, contentType: 'application/pdf', name: 'chart.pdf' }
}

/** The engines write the size in different ways; the drawing fills the size that was asked for. */
function resize(tag: string, width: number, height: number): string {
  const box = /viewBox="([^"]*)"/.exec(tag)?.[1]
  const plain = tag.replace(/\s(width|height|viewBox)="[^"]*"/g, '').replace(/^<svg/, '')
  return `<svg width="${width}" height="${height}" viewBox="${box ?? `0 0 ${width} ${height}`}"${plain}`
}
