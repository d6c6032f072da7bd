import { type InputFile, type Outcome, type OutputFile, Problem, type RunContext, type Tools } from '#kit'
import { toHex } from '../../formats/svg/drawing.ts'
import { parseColors, renderDrawing } from '../schema.ts'
import { checkSpec, findKind } from './check.ts'
import { readRows } from './data.ts'
import { buildShapeOption } from './shapes.ts'
import { buildLiteSpec, SHAPE_TYPES, type SimpleChart } from './simple.ts'
import { buildConfig, describeLocale } from './theme.ts'

type ChartInput = Omit<SimpleChart, 'type'> & {
  spec?: Record<string, unknown>
  type?: SimpleChart['type']
  data?: InputFile
  theme: 'light' | 'dark'
  background?: string
  width: number
  height: number
  scale: number
  outFormat: 'png' | 'svg' | 'webp' | 'pdf'
  locale: string
}

type ChartTools = Pick<Tools, 'charts' | 'chromium' | 'color' | 'sharp'> & RunContext

interface ChartResult {
  output: OutputFile
  width: number
  height: number
  marks: number
  spec: Record<string, unknown>
}

/** The options that only make sense with `type`. */
const SIMPLE_FIELDS = [
  'data',
  'x',
  'y',
  'color',
  'size',
  'stack',
  'title',
  'subtitle',
  'xTitle',
  'yTitle',
  'format',
] as const

export async function drawChart(input: ChartInput, tools: ChartTools): Promise<Outcome<ChartResult>> {
  const colors = await parseColors(tools.color, { background: input.background, ...namePalette(input.palette) })
  const { background } = colors as { background?: { r: number; g: number; b: number; a: number } }
  const look = {
    isDark: input.theme === 'dark',
    background: background && (background.a === 0 ? 'transparent' : toHex(background)),
  }
  const { svg, marks, messages, spec } = input.spec
    ? await drawSpec(input, look, tools)
    : await drawSimple(input, look, tools)
  const output = await renderChart(svg, input, tools)
  const scale = input.outFormat === 'png' || input.outFormat === 'webp' ? input.scale : 1
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
  const conflict = SIMPLE_FIELDS.find(field => input[field] !== undefined)
  if (conflict) throw new Problem('CONFLICTING_OPTIONS', { fields: ['spec', conflict] })
  const given = input.spec!
  checkSpec(given)
  const kind = findKind(given)
  const spec = { autosize: { type: 'fit', contains: 'padding' }, ...given, width: input.width, height: input.height }
  const drawn = await charts.drawVega({ spec, kind, ...settingsOf(input, look) })
  return { ...drawn, spec: withoutData(spec) }
}

async function drawSimple(input: ChartInput, look: Look, { charts }: ChartTools) {
  const chart = input as SimpleChart
  if (!input.data) throw new Problem('MISSING_FIELD', { field: 'data' })
  const rows = await readRows(input.data)
  const { width, height } = input
  if ((SHAPE_TYPES as readonly string[]).includes(chart.type)) {
    const shown = look.background ?? (look.isDark ? '#16191d' : '#ffffff')
    const option = buildShapeOption(chart, rows, { ...look, background: shown })
    return { ...(await charts.drawEcharts({ option, width, height })), spec: withoutData(option) }
  }
  const sized = { width, height, autosize: { type: 'fit', contains: 'padding' } }
  const spec = { ...buildLiteSpec(chart, rows), ...sized }
  const drawn = await charts.drawVega({ spec, kind: 'vega-lite', ...settingsOf(input, look) })
  return { ...drawn, spec: withoutData(spec) }
}

function settingsOf({ locale, palette }: ChartInput, look: Look) {
  return { config: buildConfig({ ...look, palette }), locale: describeLocale(locale) }
}

function withoutData(spec: Record<string, unknown>): Record<string, unknown> {
  const { data: _, series: __, ...rest } = spec
  return rest
}

const PIXELS_PER_INCH = 96
const NO_MARGIN = { top: 0, right: 0, bottom: 0, left: 0 }

async function renderChart(svg: string, input: ChartInput, tools: ChartTools): Promise<OutputFile> {
  const { width, height, scale, outFormat } = input
  if (outFormat !== 'pdf') {
    const factor = outFormat === 'svg' ? 1 : scale
    const sized = svg.replace(/^<svg[^>]*>/, tag => resize(tag, width * factor, height * factor))
    return renderDrawing(sized, outFormat, 'chart', tools)
  }
  const to = tools.out('chart.pdf')
  const html = `<!doctype html><style>body{margin:0}svg{display:block;width:${width}px;height:${height}px}</style>${svg}`
  const page = {
    width: width / PIXELS_PER_INCH,
    height: height / PIXELS_PER_INCH,
    margin: NO_MARGIN,
    landscape: false,
    scale: 1,
  }
  const options = {
    ...{
      ...page,
      preferCssPageSize: false,
      single: false,
      background: true,
      media: 'print' as const,
      outline: false,
      tagged: false,
    },
    ...{ maxPages: 1, ranges: '1', javascript: false, timezone: 'UTC' },
    network: 'none' as const,
    wait: { delayMs: 0, networkIdle: false, timeoutMs: 15_000 },
  }
  await tools.chromium.print({ html, assets: [] }, options, to)
  return { path: to, contentType: 'application/pdf', name: 'chart.pdf' }
}

/** The engines write the size in different ways; the drawing fills the size that was asked for. */
function resize(tag: string, width: number, height: number): string {
  const box = /viewBox="([^"]*)"/.exec(tag)?.[1]
  const plain = tag.replace(/\s(width|height|viewBox)="[^"]*"/g, '').replace(/^<svg/, '')
  return `<svg width="${width}" height="${height}" viewBox="${box ?? `0 0 ${width} ${height}`}"${plain}`
}
