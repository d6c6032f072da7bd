import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import { centredText, drawing, element, paintWith, VECTOR_TYPES } from '../formats/svg/drawing.ts'
import { DRAW, findInitials, pickBackground } from './identicon/styles.ts'
import { DRAWING_ERRORS, parseColors, renderDrawing } from './schema.ts'

const STYLES = ['jdenticon', 'blocks', 'initials', 'rings', 'beam', 'blockie'] as const
const VERSIONED = STYLES.map(style => `${style}@1` as const)
const FORMATS = ['png', 'svg', 'webp'] as const
const DEFAULT_SATURATION = 60

export default define({
  summary: 'Draw an identicon: an avatar that follows from a text.',
  keywords: 'avatar, profile icon, hash icon, user picture, blockies, gravatar, monogram, initials',
  description:
    'The same value and options give the same drawing for ever; a style that changes gets a new number (`blocks@2`), and ' +
    'a style without a number is the first. The value is hashed and not stored.',
  price: perCall('0.001'),
  uses: ['color', 'fonts', 'identicon', 'sharp'],
  input: Type.Object({
    value: Type.String({ minLength: 1, maxLength: 1024, description: 'A name, an address, an id.' }),
    style: Choice([...STYLES, ...VERSIONED], {
      default: 'jdenticon',
      description: 'blockie is what Ethereum wallets draw for an address.',
    }),
    size: Type.Integer({ default: 256, minimum: 16, maximum: 2048, description: 'Width in pixels.' }),
    format: Choice(FORMATS, { default: 'png' }),
    background: Type.Optional(CssColor({ description: 'Left out: transparent; for initials, a colour of the value.' })),
    hues: Type.Array(Type.Integer({ minimum: 0, maximum: 359 }), {
      default: [],
      maxItems: 36,
      description: 'Hues in degrees to choose from. Empty: any.',
    }),
    saturation: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Left out: that of the style.' })),
    padding: Type.Number({ default: 0.08, minimum: 0, maximum: 0.4, description: 'As a share of the width.' }),
    radius: Type.Number({ default: 0, minimum: 0, maximum: 0.5, description: 'Of the corners; 0.5 is a circle.' }),
  }),
  output: Type.Object({
    output: FileOutput(FORMATS.map(format => VECTOR_TYPES[format])),
    style: Type.String({ description: 'With its version.' }),
    size: Type.Integer(),
  }),
  errors: [...DRAWING_ERRORS, 'CONFLICTING_OPTIONS'],
  examples: [
    { title: 'For a user', input: { value: 'ada@example.com' }, answer: { style: 'jdenticon@1', size: 256 } },
    {
      title: 'The initials of a name, in a circle',
      input: { value: 'Ada Lovelace', style: 'initials', radius: 0.5, size: 128, format: 'svg' },
      answer: { style: 'initials@1', size: 128 },
    },
    {
      title: 'An Ethereum address',
      input: { value: '0x00000000219ab540356cBB839Cbe05303d7705Fa', style: 'blockie', size: 64, padding: 0 },
      answer: { style: 'blockie@1', size: 64 },
    },
  ],

  async run(input, { color, fonts, identicon, sharp, out }) {
    const { value, size, format, hues, padding, radius } = input
    const style = input.style.replace('@1', '') as (typeof STYLES)[number]
    if (style === 'blockie' && (hues.length > 0 || input.saturation !== undefined)) {
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['style', hues.length > 0 ? 'hues' : 'saturation'] })
    }
    const { background } = await parseColors(color, { background: input.background })
    const palette = { hues, saturation: Math.round((input.saturation ?? DEFAULT_SATURATION / 100) * 100) }
    const scale = size * (1 - 2 * padding)
    const fitted = { transform: `translate(${size * padding} ${size * padding}) scale(${scale})` }
    const paint = background ? paintWith(background) : { fill: pickBackground(value, palette) }
    const isFilled = background ? background.a > 0 : style === 'initials'
    const back = isFilled ? element('rect', { width: size, height: size, ...paint }) : ''
    const content = back + (await drawContent())
    const corner = element('rect', { width: size, height: size, rx: size * radius })
    const clip = element('defs', {}, element('clipPath', { id: 'c' }, corner))
    const body = radius === 0 ? content : clip + element('g', { 'clip-path': 'url(#c)' }, content)
    const output = await renderDrawing(drawing({ width: size, height: size }, body), format, 'identicon', {
      sharp,
      out,
    })
    return { result: { output, style: `${style}@1`, size } }

    async function drawContent(): Promise<string> {
      if (style === 'initials') return drawInitials()
      if (style !== 'jdenticon') return element('g', fitted, DRAW[style](value, palette))
      const saturation = input.saturation === undefined ? undefined : palette.saturation / 100
      const icon = await identicon.draw(value, { hues, saturation })
      return element('g', fitted, icon)
    }

    async function drawInitials(): Promise<string> {
      const initials = findInitials(value)
      const [widthInEm = 1] = await fonts.measure([initials], { family: 'sans', bold: true })
      const fontSize = Math.min(scale * 0.56, (scale * 0.84) / widthInEm)
      const white = { r: 255, g: 255, b: 255, a: 255 }
      const black = { r: 0, g: 0, b: 0, a: 255 }
      const isLight = background && background.a > 0 && background.r + background.g + background.b > 420
      const ink = isLight || background?.a === 0 ? black : white
      return centredText(initials, { x: size / 2, y: size / 2, size: fontSize, color: ink, bold: true })
    }
  },
})
