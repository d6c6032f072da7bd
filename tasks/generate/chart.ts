import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, perCall, Warnings } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import { VECTOR_TYPES } from '../formats/svg/drawing.ts'
import { TableInput } from '../formats/tables/dialect.ts'
import { drawChart } from './chart/draw.ts'
import { LITE_TYPES, SHAPE_TYPES } from './chart/simple.ts'
import { DRAWING_ERRORS } from './schema.ts'

const FORMATS = ['png', 'svg', 'webp', 'pdf'] as const
const Column = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
const Title = Type.Optional(Type.String({ maxLength: 300 }))
const Format = Type.Optional(Type.String({ maxLength: 30, description: 'A d3 format: ,.2f or %b %Y.' }))

export default define({
  summary: 'Draw a chart from a table, or from a Vega or Vega-Lite specification.',
  keywords:
    'graph, plot, bar chart, line chart, pie chart, histogram, scatter plot, gauge, sankey, visualization, vega',
  description:
    'With `type`, the rows of `data` are drawn by the columns that x, y and color name. With `spec`, the data must be ' +
    'in the call: nothing is loaded, functions are not run, and at most 50,000 marks are drawn. The same call gives the ' +
    'same drawing. Times are shown in UTC. Text may be of any script.',
  price: perCall('0.002'),
  uses: ['charts', 'chromium', 'color', 'sharp'],
  limitSeconds: 20,
  input: Type.Object({
    spec: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Vega-Lite or Vega as JSON. Give spec or type.',
      }),
    ),
    type: Type.Optional(Choice([...LITE_TYPES, ...SHAPE_TYPES])),
    data: Type.Optional(TableInput()),
    x: Column('Names; for sankey the sources; for scatter and histogram numbers.'),
    y: Type.Optional(
      Type.Union(
        [Type.String({ maxLength: 200 }), Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 50 })],
        {
          description: 'Numbers: one column or several. For candlestick open, close, low and high.',
        },
      ),
    ),
    color: Column('One series for each value; for sankey the targets, for heatmap the numbers.'),
    size: Column('For scatter.'),
    stack: Type.Optional(Type.Boolean({ description: 'For bar and area; false puts bars side by side.' })),
    ...{ title: Title, subtitle: Title, xTitle: Title, yTitle: Title },
    legend: Type.Boolean({ default: true }),
    labels: Type.Boolean({ default: false, description: 'Write the values into bar, line, area, pie and donut.' }),
    format: Type.Optional(Type.Object({ x: Format, y: Format }, { description: 'How values are written.' })),
    palette: Type.Optional(Type.Array(CssColor(), { minItems: 1, maxItems: 50 })),
    theme: Choice(['light', 'dark'], { default: 'light' }),
    background: Type.Optional(CssColor({ description: 'A CSS colour, or transparent.' })),
    width: Type.Integer({ default: 800, minimum: 64, maximum: 4000, description: 'In pixels, before scale.' }),
    height: Type.Integer({ default: 450, minimum: 64, maximum: 4000 }),
    scale: Type.Number({ default: 2, minimum: 1, maximum: 4, description: 'For png and webp.' }),
    outFormat: Choice(FORMATS, { default: 'png' }),
    locale: Type.String({ default: 'en-US', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$' }),
  }),
  output: Type.Object({
    output: FileOutput([VECTOR_TYPES.png, VECTOR_TYPES.svg, VECTOR_TYPES.webp, 'application/pdf']),
    width: Type.Integer({ description: 'In pixels.' }),
    height: Type.Integer(),
    marks: Type.Integer({ description: 'How many marks were drawn; 0 for kinds that have none.' }),
    spec: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'What was drawn, without the data.' }),
    warnings: Warnings,
  }),
  errors: [
    ...([...DRAWING_ERRORS, 'CHART_SPEC_INVALID', 'CHART_EXTERNAL_DATA', 'CHART_DATA_EMPTY', 'TOO_MANY_ROWS'] as const),
    ...(['MISSING_FIELD', 'CONFLICTING_OPTIONS', 'INVALID_PARAM', 'COLUMN_NOT_FOUND', 'TYPE_MISMATCH'] as const),
    ...([
      'CSV_PARSE_FAILED',
      'JSON_PARSE_FAILED',
      'NOT_TABULAR',
      'RAGGED_ROW',
      'UNSUPPORTED_FORMAT',
      'TOO_MANY_COLUMNS',
    ] as const),
    'HTML_RENDER_FAILED',
  ],
  examples: [
    {
      title: 'Bars from rows',
      input: {
        type: 'bar',
        data: {
          rows: [
            { city: 'Oslo', rain: 76 },
            { city: 'Łódź', rain: 48 },
          ],
        },
        x: 'city',
        y: 'rain',
      },
      answer: { width: 1600, height: 900 },
    },
    {
      title: 'A Vega-Lite specification, as SVG',
      input: {
        spec: {
          data: {
            values: [
              { a: 1, b: 2 },
              { a: 2, b: 5 },
            ],
          },
          mark: 'line',
          encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
        },
        outFormat: 'svg',
      },
      answer: { width: 800, height: 450 },
    },
  ],

  run: (input, tools) => {
    exactlyOne(input, ['spec', 'type'])
    return drawChart(input, tools)
  },
})
