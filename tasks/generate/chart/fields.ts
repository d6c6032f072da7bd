import { Type } from 'typebox'
import { Choice } from '#kit'
import { CssColor } from '../../formats/raster/contrast.ts'
import { TableInput } from '../../formats/tables/dialect.ts'
import { DEFAULT_SCALE } from './options.ts'
import { LITE_TYPES, SHAPE_TYPES } from './simple.ts'

const FORMATS = ['png', 'svg', 'webp', 'pdf'] as const
const Column = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
const Title = Type.Optional(Type.String({ maxLength: 300 }))
const Format = Type.Optional(Type.String({ maxLength: 30, description: 'A d3 format: ,.2f or %b %Y.' }))

export const chartFields = {
  spec: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Vega-Lite or Vega as JSON. Give spec, chartjs or type.',
    }),
  ),
  chartjs: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'A configuration of Chart.js as JSON; what cannot be drawn from it is refused with its path.',
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
  legend: Type.Optional(Type.Boolean({ description: 'Shown unless this is false.' })),
  labels: Type.Optional(Type.Boolean({ description: 'Write the values into bar, line, area, pie and donut.' })),
  format: Type.Optional(Type.Object({ x: Format, y: Format }, { description: 'How values are written.' })),
  palette: Type.Optional(Type.Array(CssColor(), { minItems: 1, maxItems: 50 })),
  theme: Choice(['light', 'dark'], { default: 'light' }),
  background: Type.Optional(CssColor({ description: 'A CSS colour, or transparent.' })),
  width: Type.Integer({
    default: 800,
    minimum: 64,
    maximum: 4000,
    description: 'In pixels; a png or webp has `scale` times as many.',
  }),
  height: Type.Integer({ default: 450, minimum: 64, maximum: 4000 }),
  scale: Type.Number({ default: DEFAULT_SCALE, minimum: 1, maximum: 4, description: 'For png and webp.' }),
  outFormat: Choice(FORMATS, { default: 'png' }),
  locale: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
      description: 'How numbers and dates are written; en-US if left out.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,59}$',
      description: 'Of times, such as Europe/Berlin; or UTC.',
    }),
  ),
}
