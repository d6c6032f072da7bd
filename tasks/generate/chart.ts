import { Type } from 'typebox'
import { define, exactlyOne, FileOutput, perCall, Warnings } from '#kit'
import { VECTOR_TYPES } from '../formats/svg/drawing.ts'
import { drawChart } from './chart/draw.ts'
import { chartFields } from './chart/fields.ts'
import { DRAWING_ERRORS } from './schema.ts'

export default define({
  summary: 'Draw a chart from a table, or from a specification of Vega, Vega-Lite or Chart.js.',
  keywords:
    'graph, plot, bar chart, line chart, pie chart, histogram, scatter plot, gauge, sankey, visualization, vega, chart.js, quickchart',
  description:
    'With `type`, the rows of `data` are drawn by the columns that x, y and color name. With `spec`, the data must be ' +
    'in the call: nothing is loaded, functions are not run, and at most 50,000 marks are drawn. The same call gives the ' +
    'same drawing. Text may be of any script.',
  price: perCall('0.002'),
  uses: ['charts', 'chromium', 'color', 'sharp'],
  limitSeconds: 20,
  input: Type.Object(chartFields),
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
    exactlyOne(input, ['spec', 'chartjs', 'type'])
    return drawChart(input, tools)
  },
})
