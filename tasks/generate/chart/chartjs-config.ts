import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { Problem } from '#kit'
import { MAX_ROWS } from './check.ts'

// Decision 0165: translate Chart.js configurations, and set the zone of charts.

const Colors = Type.Union([
  Type.String({ maxLength: 60 }),
  Type.Array(Type.String({ maxLength: 60 }), { maxItems: 1000 }),
])
const Text = Type.Union([
  Type.String({ maxLength: 300 }),
  Type.Array(Type.String({ maxLength: 300 }), { maxItems: 10 }),
])
const Small = Type.Number({ minimum: 0, maximum: 100 })
const strict = { additionalProperties: false }
const option = <Known extends Parameters<typeof Type.Object>[0]>(known: Known) =>
  Type.Optional(Type.Object(known, strict))

const Label = Type.Union([Type.String({ maxLength: 300 }), Type.Number()])
const Point = Type.Object({ x: Label, y: Type.Number(), r: Type.Optional(Small) }, strict)
const DatasetConfig = Type.Object(
  {
    type: Type.Optional(Type.Enum(['bar', 'line'])),
    label: Type.Optional(Type.String({ maxLength: 300 })),
    data: Type.Array(Type.Union([Type.Number(), Type.Null(), Point]), { maxItems: MAX_ROWS }),
    ...{ backgroundColor: Type.Optional(Colors), borderColor: Type.Optional(Colors) },
    ...{ borderWidth: Type.Optional(Small), pointRadius: Type.Optional(Small) },
    fill: Type.Optional(Type.Union([Type.Boolean(), Type.Enum(['origin'])])),
    ...{ tension: Type.Optional(Small), lineTension: Type.Optional(Small) },
  },
  strict,
)
const Title = option({ display: Type.Optional(Type.Boolean()), text: Type.Optional(Text) })
const Legend = option({
  display: Type.Optional(Type.Boolean()),
  position: Type.Optional(Type.Enum(['top', 'left', 'bottom', 'right'])),
})
const Limits = {
  ...{ min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) },
  beginAtZero: Type.Optional(Type.Boolean()),
}
const ScaleConfig = option({
  type: Type.Optional(Type.Enum(['linear', 'logarithmic', 'category', 'time'])),
  ...{ display: Type.Optional(Type.Boolean()), stacked: Type.Optional(Type.Boolean()), title: Title, ...Limits },
  grid: option({ display: Type.Optional(Type.Boolean()) }),
})
/** As version 2 wrote them. */
const OldScale = Type.Optional(
  Type.Array(
    Type.Object(
      {
        ...{ type: Type.Optional(Type.Enum(['linear', 'logarithmic', 'category', 'time'])) },
        ...{ display: Type.Optional(Type.Boolean()), stacked: Type.Optional(Type.Boolean()), ticks: option(Limits) },
        scaleLabel: option({
          display: Type.Optional(Type.Boolean()),
          labelString: Type.Optional(Type.String({ maxLength: 300 })),
        }),
      },
      strict,
    ),
    { minItems: 1, maxItems: 1 },
  ),
)
/** What only moves or reacts on a screen says nothing about a picture. */
const Screen = Type.Optional(Type.Unknown())
const Config = Type.Object(
  {
    type: Type.Enum(['bar', 'horizontalBar', 'line', 'scatter', 'bubble', 'pie', 'doughnut', 'radar']),
    data: Type.Object(
      {
        labels: Type.Optional(Type.Array(Label, { maxItems: MAX_ROWS })),
        datasets: Type.Array(DatasetConfig, { minItems: 1, maxItems: 50 }),
      },
      strict,
    ),
    options: option({
      ...{ responsive: Screen, maintainAspectRatio: Screen, animation: Screen, hover: Screen, tooltips: Screen },
      ...{ interaction: Screen, events: Screen, devicePixelRatio: Screen },
      ...{ title: Title, legend: Legend, indexAxis: Type.Optional(Type.Enum(['x', 'y'])) },
      plugins: option({ title: Title, subtitle: Title, legend: Legend, tooltip: Screen }),
      scales: option({ x: ScaleConfig, y: ScaleConfig, xAxes: OldScale, yAxes: OldScale }),
    }),
  },
  strict,
)

type Parsed = Static<typeof Config>
export type Dataset = Static<typeof DatasetConfig>
export type Scale = NonNullable<Static<typeof ScaleConfig>>

/** A configuration of Chart.js in the words of its versions 3 and 4. */
export interface ChartJs {
  type: Exclude<Parsed['type'], 'horizontalBar'>
  labels: readonly (string | number)[]
  datasets: readonly Dataset[]
  isHorizontal: boolean
  title?: string | string[]
  subtitle?: string | string[]
  legend?: 'top' | 'left' | 'bottom' | 'right'
  x: Scale
  y: Scale
}

/** Throws CHART_SPEC_INVALID with the path of what is not known: an option that is taken is drawn. */
export function readChartJs(given: unknown): ChartJs {
  if (!Check(Config, given)) {
    const [, [first]] = Errors(Config, given)
    const extra = (first as { params?: { additionalProperties?: string[] } } | undefined)?.params
      ?.additionalProperties?.[0]
    const path = [first?.instancePath, extra].filter(Boolean).join('/')
    throw new Problem('CHART_SPEC_INVALID', { path, reason: 'this is not drawn from configurations of Chart.js' })
  }
  const { type, data, options = {} } = given
  const { plugins = {}, scales = {}, indexAxis } = options
  const legend = plugins.legend ?? options.legend
  return {
    type: type === 'horizontalBar' ? 'bar' : type,
    ...{ labels: data.labels ?? [], datasets: data.datasets },
    isHorizontal: type === 'horizontalBar' || indexAxis === 'y',
    ...{ title: readTitle(plugins.title ?? options.title), subtitle: readTitle(plugins.subtitle) },
    legend: legend?.display === false ? undefined : (legend?.position ?? 'top'),
    ...{ x: scales.x ?? readOldScale(scales.xAxes), y: scales.y ?? readOldScale(scales.yAxes) },
  }
}

/** Titles are hidden unless they are displayed. */
function readTitle(title: Static<typeof Title> | undefined): string | string[] | undefined {
  return title?.display ? title.text : undefined
}

function readOldScale([scale]: NonNullable<Static<typeof OldScale>> = []): Scale {
  const { scaleLabel, ticks, ...rest } = scale ?? {}
  return { ...rest, ...ticks, title: { display: scaleLabel?.display, text: scaleLabel?.labelString } }
}
