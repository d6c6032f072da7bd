import { execa } from 'execa'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { chartFields } from '../../../tasks/generate/chart/fields.ts'
import { hasTool, runJob, sharedPools } from '../../support/pools/open.ts'

const pools = await sharedPools()
const hasBrowser = await hasTool(pools, 'chromium')
afterAll(() => pools[Symbol.asyncDispose]())

const TABLE = 'city,rain,sun,kind\nOslo,76,40,a\nŁódź,48,60,b\n東京,154,80,a\nالقاهرة,2,95,b\n'

const draw = ({ data, ...body }: Record<string, unknown>) =>
  runJob(pools, 'generate.chart', {
    outFormat: 'svg',
    ...body,
    ...(data !== undefined && { data: Buffer.from(String(data)) }),
  })

test.each([
  [{ type: 'bar', x: 'city', y: ['rain', 'sun'], stack: false }, 'القاهرة'],
  [{ type: 'line', x: 'city', y: 'rain', labels: true, yTitle: 'mm' }, 'mm'],
  [{ type: 'area', x: 'city', y: 'rain', color: 'kind', stack: true }, '東京'],
  [{ type: 'pie', x: 'city', y: 'rain', labels: true }, 'Łódź'],
  [{ type: 'donut', x: 'city', y: 'rain', theme: 'dark' }, 'Oslo'],
  [{ type: 'scatter', x: 'rain', y: 'sun', size: 'rain', title: 'Over <all>' }, 'Over &lt;all&gt;'],
  [{ type: 'histogram', x: 'rain' }, 'rain'],
  [{ type: 'heatmap', x: 'city', y: 'kind', color: 'sun' }, 'kind'],
  [{ type: 'box', x: 'kind', y: 'sun' }, 'sun'],
  [{ type: 'radar', x: 'city', y: ['rain', 'sun'] }, 'Oslo'],
  [{ type: 'treemap', x: 'city', y: 'sun', color: 'kind' }, 'Oslo'],
  [{ type: 'sankey', x: 'city', color: 'kind', y: 'sun' }, '東京'],
  [{ type: 'funnel', x: 'city', y: 'sun' }, 'Oslo'],
  [{ type: 'gauge', y: 'sun' }, '40'],
  [{ type: 'candlestick', x: 'city', y: ['rain', 'sun', 'rain', 'sun'] }, 'Oslo'],
])('draws %j alike each time, with its letters', async (body, text) => {
  const [first, second] = [await draw({ data: TABLE, ...body }), await draw({ data: TABLE, ...body })]
  expect(first.bytes.toString()).toContain(text)
  expect(first.bytes.equals(second.bytes)).toBe(true)
  expect(await sharp(first.bytes).metadata()).toMatchObject({ width: 800, height: 450 })
})

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

test.each([
  ['twelve months', MONTHS, 800, false],
  ['three words', ['Berlin', 'Hamburg', 'München'], 300, false],
  ['thirty words', Array.from({ length: 30 }, (_, at) => `Station ${at}`), 800, true],
  ['long names', ['Castrop-Rauxel and its surroundings', 'Lower Saxony and the islands'], 400, true],
  ['twelve months in little space', MONTHS, 300, true],
])('names along the axis stay level where they fit: %s', async (_name, names, width, isTurned) => {
  const data = `name,value\n${names.map((name, at) => `${name},${at + 1}\n`).join('')}`
  const { bytes } = await draw({ data, type: 'bar', x: 'name', y: 'value', width })
  const svg = bytes.toString()
  const label = new RegExp(`<text[^>]*transform="([^"]*)"[^>]*>${names[0]}`).exec(svg)
  expect(/rotate\(-?\d/.test(label![1]!) && !/rotate\(0/.test(label![1]!)).toBe(isTurned)
})

const LITE = {
  data: {
    values: [
      { a: 1, b: 2 },
      { a: 2, b: 5 },
    ],
  },
  mark: 'point',
  encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
}
const { data: _, ...INNER } = LITE

/** Takes years unless the regular expression reads its text once. */
const MANY_TRIES = "test(regexp('^(a+)+$'), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')"
const nest = (depth: number): object => (depth === 0 ? { mark: 'point' } : { layer: [nest(depth - 1)] })
const SCALE = { name: 's', domain: [0, 1], range: 'width' }
const TICKS = { scales: [SCALE], axes: [{ scale: 's', orient: 'left', tickCount: { signal: '1e8' } }], marks: [] }
const CELLS = Array.from({ length: 2500 }, (_, at) => ({ a: at, b: 1 }))

test('draws specifications, with a chance that is always the same', async () => {
  const spec = { ...LITE, transform: [{ calculate: `random() + ${MANY_TRIES}`, as: 'b' }] }
  const [first, second] = [await draw({ spec }), await draw({ spec })]
  expect([first.bytes.equals(second.bytes), (first.result.marks as number) > 2]).toEqual([true, true])
  const vega = {
    marks: [
      { type: 'rect', encode: { enter: { width: { value: 40 }, height: { value: 30 }, fill: { value: 'red' } } } },
    ],
  }
  expect((await draw({ spec: vega })).bytes.toString()).toContain('red')
})

test('says how many pixels a chart has where no scale is given', async () => {
  expect(chartFields.scale).toMatchObject({ default: 2 })
  const body = { data: TABLE, type: 'bar', x: 'city', y: 'rain', width: 200, height: 100 }
  const { bytes, result } = await draw({ ...body, outFormat: 'png' })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 400, height: 200 })
  expect(result).toMatchObject({ width: 400, height: 200 })
})

test('writes every format in its size, with a background', async () => {
  const body = { data: TABLE, type: 'bar', x: 'city', y: 'rain', width: 200, height: 100, background: '#00ff00' }
  for (const outFormat of ['png', 'webp']) {
    const { bytes } = await draw({ ...body, outFormat, scale: 1.5 })
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, data[0], data[1]! > 250]).toEqual([300, 150, 0, true])
  }
})

test.skipIf(!hasBrowser)('prints a PDF in its size', async () => {
  const body = { data: TABLE, type: 'bar', x: 'city', y: 'rain', width: 200, height: 100 }
  const pdf = await draw({ ...body, outFormat: 'pdf' })
  expect((await execa('pdftotext', ['-', '-'], { input: pdf.bytes })).stdout).toContain('Oslo')
  expect((await execa('pdfinfo', ['-'], { input: pdf.bytes })).stdout).toMatch(/Pages:\s+1\n[\s\S]*150 x 75/)
})

const SETS = [
  { label: 'Rain', data: [3, 5, null], backgroundColor: 'rgba(255, 0, 0, 0.5)' },
  { label: 'Sun', data: [4, 1, 2], type: 'line', borderColor: '#00f', fill: true, pointRadius: 0 },
]
const POINTS = [
  { x: 1, y: 2, r: 5 },
  { x: 3, y: 4, r: 9 },
]
const LABELS = ['Łódź', '東京', 'Oslo']

test.each([
  [{ type: 'bar', data: { labels: LABELS, datasets: SETS } }, 'rgba(255, 0, 0, 0.5)'],
  [{ type: 'horizontalBar', data: { labels: LABELS, datasets: SETS.slice(0, 1) } }, '東京'],
  [
    {
      ...{ type: 'line', data: { labels: ['2026-01-01', '2026-02-01'], datasets: SETS.slice(0, 1) } },
      options: {
        responsive: true,
        plugins: { title: { display: true, text: 'Over <all>' } },
        scales: { x: { type: 'time' } },
      },
    },
    'Over &lt;all&gt;',
  ],
  [
    { type: 'doughnut', data: { labels: LABELS, datasets: [{ data: [1, 2, 3], backgroundColor: ['red', '#0f0'] }] } },
    'Oslo',
  ],
  [{ type: 'scatter', data: { datasets: [{ label: 'Kind', data: POINTS }] } }, 'Kind'],
  [{ type: 'bubble', data: { datasets: [{ data: POINTS }] }, options: { legend: { display: false } } }, 'svg'],
  [{ type: 'radar', data: { labels: LABELS, datasets: SETS.slice(0, 1) } }, '東京'],
])('draws the configuration of Chart.js %j alike each time', async (chartjs, text) => {
  const [first, second] = [await draw({ chartjs }), await draw({ chartjs })]
  expect(first.bytes.toString()).toContain(text)
  expect(first.bytes.equals(second.bytes)).toBe(true)
})

test('bars of a few months stand beside each other in the order of time, each with its name', async () => {
  const data = 'month,n\n2026-02,5\n2026-01,4\n2026-03,3\n'
  const { bytes } = await draw({ type: 'bar', data, x: 'month', y: 'n', width: 600 })
  const svg = bytes.toString()
  const names = [...svg.matchAll(/>(2026-\d\d)</g)].map(([, name]) => name)
  expect(names).toEqual(['2026-01', '2026-02', '2026-03'])
  const widths = [...svg.matchAll(/aria-roledescription="bar" d="M[\d.]+,[\d.]+h([\d.]+)/g)].map(([, width]) =>
    Number(width),
  )
  expect(widths).toHaveLength(3)
  expect(Math.min(...widths)).toBeGreaterThan(100)
})

test('months that name the parts of a pie stay as they are', async () => {
  const { bytes } = await draw({ type: 'pie', data: 'month,n\n2026-02,5\n2026-01,4\n', x: 'month', y: 'n' })
  expect(bytes.toString()).toContain('>2026-02<')
  expect(bytes.toString()).not.toContain('T00:00')
})

test('shows times in the zone that is asked for, and days as days in every zone', async () => {
  const data = 'at,n\n2026-07-01T00:00:00Z,1\n2026-07-01T06:00:00Z,2\n'
  const body = { data, type: 'line', x: 'at', y: 'n', format: { x: '%d. %H:%M' } }
  const show = async (timezone?: string) => (await draw({ ...body, timezone })).bytes.toString()
  expect(await show()).toContain('01. 06:00')
  expect(await show('America/New_York')).toContain('30. 20:00')
  const [tokyo, berlin] = await Promise.all([show('Asia/Tokyo'), show('Europe/Berlin')])
  expect([tokyo.includes('01. 15:00'), berlin.includes('01. 08:00')]).toEqual([true, true])
  const days = { ...body, data: 'at,n\n2026-07-01,1\n2026-07-02,2\n', timezone: 'America/New_York' }
  expect((await draw(days)).bytes.toString()).toMatch(/>01\. 00:00</)
})

test('a palette colours what has no series', async () => {
  const one = await draw({ data: TABLE, type: 'histogram', x: 'rain', palette: ['#123456'] })
  expect(one.bytes.toString()).toContain('#123456')
})

test.each([
  [{ spec: { ...LITE, projection: { type: 'mercator', precision: 1e-9 } } }, 'CHART_SPEC_INVALID'],
  [{ spec: { ...LITE, data: { url: 'http://127.0.0.1/x.csv' } } }, 'CHART_EXTERNAL_DATA'],
  [{ spec: { ...LITE, mark: { type: 'image', url: 'x.png' } } }, 'CHART_EXTERNAL_DATA'],
  [{ spec: { ...LITE, encoding: { ...LITE.encoding, href: { value: 'javascript:1' } } } }, 'CHART_EXTERNAL_DATA'],
  [
    { spec: { data: [{ name: 'm', format: { type: 'json' }, url: 'file:///etc/passwd' }], marks: [] } },
    'CHART_EXTERNAL_DATA',
  ],
  [{ spec: { ...LITE, data: { sequence: { start: 0, stop: 1e9 } } } }, 'TOO_MANY_ROWS'],
  [{ spec: { signals: [{ name: 's', update: 'sequence(1e9)' }], marks: [] } }, 'TOO_MANY_ROWS'],
  [
    {
      spec: {
        signals: [{ name: 'n', value: 1e9 }],
        data: [{ name: 'd', transform: [{ type: 'sequence', start: 0, stop: { signal: 'n' } }] }],
        marks: [],
      },
    },
    'TOO_MANY_ROWS',
  ],
  [
    {
      spec: {
        data: [{ name: 'd', transform: [{ type: 'sequence', start: 0, stop: 9999 }, { type: 'cross' }] }],
        marks: [],
      },
    },
    'TOO_MANY_ROWS',
  ],
  [{ spec: nest(200) }, 'CHART_SPEC_INVALID'],
  [{ spec: { hconcat: Array(200).fill(LITE) } }, 'TOO_MANY_ROWS'],
  [{ spec: { repeat: { row: Array(20).fill('a'), column: Array(20).fill('b') }, spec: LITE } }, 'TOO_MANY_ROWS'],
  [{ spec: { data: { values: CELLS }, facet: { field: 'a' }, spec: INNER } }, 'TOO_MANY_ROWS'],
  [{ spec: { ...LITE, config: { axis: { tickCount: 1e8 } } } }, 'TOO_MANY_ROWS'],
  [{ spec: TICKS }, 'TOO_MANY_ROWS'],
  [{ spec: { signals: [{ name: 's', update: "pad('x', 1e9)" }], marks: [] } }, 'CHART_SPEC_INVALID'],
  [{ spec: { signals: [{ name: 's', update: 'now()' }], marks: [] } }, 'CHART_SPEC_INVALID'],
  [{ spec: { ...LITE, title: 'function () { return 1 }' } }, 'CHART_SPEC_INVALID'],
  [{ spec: { ...LITE, mark: 'nonsense' } }, 'CHART_SPEC_INVALID'],
  [{ spec: {} }, 'CHART_SPEC_INVALID'],
  [{ spec: LITE, x: 'a' }, 'CONFLICTING_OPTIONS'],
  [{ spec: LITE, type: 'bar' }, 'CONFLICTING_OPTIONS'],
  [{ spec: LITE, legend: false }, 'CONFLICTING_OPTIONS'],
  [{ spec: LITE, scale: 3 }, 'CONFLICTING_OPTIONS'],
  [{ spec: LITE, chartjs: {} }, 'CONFLICTING_OPTIONS'],
  [{ spec: LITE, timezone: 'Europe/Atlantis' }, 'INVALID_PARAM'],
  [{ type: 'gauge', data: TABLE, y: 'sun', timezone: 'UTC' }, 'CONFLICTING_OPTIONS'],
  [{ type: 'pie', data: TABLE, x: 'city', y: 'rain', stack: true }, 'CONFLICTING_OPTIONS'],
  [{ type: 'scatter', data: TABLE, x: 'rain', y: ['rain', 'sun'] }, 'INVALID_PARAM'],
  [{ chartjs: { type: 'bar', data: { datasets: [] } } }, 'CHART_SPEC_INVALID'],
  [{ chartjs: { type: 'polarArea', data: { datasets: SETS } } }, 'CHART_SPEC_INVALID'],
  [{ chartjs: { type: 'bar', data: { datasets: SETS }, options: { onClick: 'x' } } }, 'CHART_SPEC_INVALID'],
  [{ chartjs: { type: 'bar', data: { datasets: SETS }, plugins: ['function () {}'] } }, 'CHART_SPEC_INVALID'],
  [{ chartjs: { type: 'pie', data: { labels: LABELS, datasets: [...SETS, ...SETS] } } }, 'CHART_SPEC_INVALID'],
  [
    { chartjs: { type: 'bar', data: { datasets: [{ data: [1], backgroundColor: 'url(http://x)' }] } } },
    'COLOR_INVALID',
  ],
  [{ chartjs: { type: 'bar', data: { datasets: SETS } }, x: 'a' }, 'CONFLICTING_OPTIONS'],
  [{}, 'MISSING_FIELD'],
  [{ type: 'bar', x: 'city', y: 'rain' }, 'MISSING_FIELD'],
  [{ type: 'bar', data: TABLE, y: 'rain' }, 'MISSING_FIELD'],
  [{ type: 'bar', data: TABLE, x: 'city', y: 'rain', subtitle: 'alone' }, 'MISSING_FIELD'],
  [{ type: 'bar', data: TABLE, x: 'city', y: 'none' }, 'COLUMN_NOT_FOUND'],
  [{ type: 'bar', data: TABLE, x: 'city', y: 'kind' }, 'TYPE_MISMATCH'],
  [{ type: 'bar', data: 'a,b\n', x: 'a', y: 'b' }, 'CHART_DATA_EMPTY'],
  [{ type: 'sankey', data: 's,t,v\na,b,1\nb,a,1\n', x: 's', color: 't', y: 'v' }, 'CHART_SPEC_INVALID'],
  [{ type: 'candlestick', data: TABLE, x: 'city', y: 'rain' }, 'INVALID_PARAM'],
  [{ type: 'bar', data: TABLE, x: 'city', y: 'rain', background: 'nope' }, 'COLOR_INVALID'],
])('refuses %j', async (body, code) => {
  await expect(draw(body)).rejects.toMatchObject({ code })
})
