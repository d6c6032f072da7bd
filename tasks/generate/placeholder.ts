import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import type { Rgba } from '../formats/raster/png-svg.ts'
import { centredText, drawing, VECTOR_TYPES } from '../formats/svg/drawing.ts'
import { drawPattern, drawPerson, PATTERNS } from './placeholder/patterns.ts'
import { DRAWING_ERRORS, parseColors, renderDrawing } from './schema.ts'

const FORMATS = ['png', 'svg', 'webp', 'jpeg', 'avif'] as const
const Side = (options: Record<string, unknown>) =>
  Type.Integer({ minimum: 1, maximum: 4000, description: 'In pixels.', ...options })

export default define({
  summary: 'Draw a placeholder image of a given size.',
  keywords: 'dummy image, blank image, mock picture, lorem picsum, sample image, avatar silhouette, blurhash',
  description:
    'The text may be of any script and is made as large as fits. The same options and the same seed give the same image.',
  price: perCall('0.001'),
  uses: ['color', 'fonts', 'sharp'],
  input: Type.Object({
    width: Side({ default: 600 }),
    height: Side({ default: 400 }),
    text: Type.Optional(
      Type.String({ maxLength: 200, description: '{w} and {h} become the size. Left out: {w}×{h}. Empty: no text.' }),
    ),
    background: CssColor({ default: '#cccccc' }),
    color: Type.Optional(
      CssColor({ description: 'A CSS colour. Left out: black or white, whichever is easier to read.' }),
    ),
    pattern: Choice(PATTERNS, { default: 'solid' }),
    seed: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 4_294_967_295,
      description: 'For gradient, noise and blurhash.',
    }),
    format: Choice(FORMATS, { default: 'png' }),
    avatar: Type.Boolean({ default: false, description: 'A head and shoulders instead of a text.' }),
  }),
  output: Type.Object({
    output: FileOutput(FORMATS.map(format => VECTOR_TYPES[format])),
    width: Type.Integer(),
    height: Type.Integer(),
    seed: Type.Integer(),
    blurhash: Type.Optional(Type.String({ description: 'The hash that pattern blurhash shows.' })),
  }),
  errors: [...DRAWING_ERRORS, 'CONFLICTING_OPTIONS'],
  examples: [
    { title: 'A grey box with its size', input: {}, answer: { width: 600, height: 400 } },
    {
      title: 'A banner with a gradient, as WebP',
      input: {
        width: 1200,
        height: 300,
        text: 'Próximamente · قريبا',
        background: '#336699',
        pattern: 'gradient',
        format: 'webp',
      },
      answer: { width: 1200, height: 300 },
    },
    {
      title: 'The silhouette of a person',
      input: { width: 128, height: 128, avatar: true, format: 'svg' },
      answer: { width: 128, height: 128 },
    },
  ],

  async run(input, { color, fonts, sharp, out }) {
    const { width, height, pattern, seed, format, avatar } = input
    if (avatar && input.text !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: ['avatar', 'text'] })
    const { background, color: given } = await parseColors(color, { background: input.background, color: input.color })
    const ink = given ?? chooseInk(background!)
    const { svg, ...hash } = drawPattern(pattern, { width, height, background: background!, seed })
    const text = (input.text ?? '{w}×{h}').replaceAll('{w}', `${width}`).replaceAll('{h}', `${height}`).trim()
    const front = avatar ? drawPerson({ width, height }, ink) : text === '' ? '' : await drawLabel()
    const output = await renderDrawing(drawing({ width, height }, svg + front), format, 'placeholder', { sharp, out })
    return { result: { output, width, height, seed, ...hash } }

    async function drawLabel(): Promise<string> {
      const [widthInEm = 1] = await fonts.measure([text], { family: 'sans', bold: true })
      const size = Math.min((width * 0.84) / Math.max(widthInEm, 0.1), height * 0.3, 320)
      return centredText(text, { x: width / 2, y: height / 2, size, color: ink, bold: true })
    }
  },
})

function chooseInk({ r, g, b, a }: Rgba): Rgba {
  const isLight = a < 128 || 0.299 * r + 0.587 * g + 0.114 * b > 140
  return isLight ? { r: 0, g: 0, b: 0, a: 170 } : { r: 255, g: 255, b: 255, a: 230 }
}
