import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall, Warnings } from '#kit'
import { Tint } from './color-shape.ts'
import { drawOptions, INCH_MM } from './look-shape.ts'
import { withDensity } from './raster-shape.ts'
import { checkedText, SYMBOLS, symbolOf } from './symbol-shape.ts'

const TYPES = { png: 'image/png', svg: 'image/svg+xml' } as const

export default define({
  summary: 'Draw a barcode of any kind.',
  description: `Of: ${Object.keys(SYMBOLS).join(', ')}. Measures are those of the print at the dpi asked for.`,
  path: '/v1/barcode',
  price: perCall('0.001'),
  uses: ['barcode', 'color'],
  input: Type.Object({
    type: Type.String({ minLength: 1, maxLength: 40, description: 'Such as code128, ean13 or datamatrix.' }),
    text: Type.String({ minLength: 1, maxLength: 3072 }),
    includeText: Type.Optional(Type.Boolean({ description: 'Left out: true for kinds made of bars.' })),
    checkDigit: Choice(['auto', 'verify', 'none'], {
      default: 'auto',
      description: 'auto adds it where it is missing and compares it where it stands.',
    }),
    gs1: Choice(['auto', 'off'], {
      default: 'auto',
      description: 'Read (01) and the like as application identifiers.',
    }),
    height: Type.Number({ default: 12, minimum: 1, maximum: 200, description: 'Of bars, in mm.' }),
    scale: Type.Integer({ default: 3, minimum: 1, maximum: 10, description: 'Pixels of the narrowest bar.' }),
    dpi: Type.Integer({ default: 300, minimum: 72, maximum: 1200 }),
    rotate: Type.Union(
      [Choice(['0', '90', '180', '270']), Type.Unsafe<number>({ type: 'integer', enum: [0, 90, 180, 270] })],
      {
        default: '0',
        description: 'Clockwise; a number is taken too.',
      },
    ),
    padding: Type.Number({ default: 2, minimum: 0, maximum: 20, description: 'In mm.' }),
    dark: Tint({ default: '#000000' }),
    light: Tint({ default: '#ffffff', description: 'A CSS colour, or transparent.' }),
    format: Choice(['png', 'svg'], { default: 'png' }),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    type: Type.String(),
    encodedText: Type.String(),
    widthPx: Type.Integer(),
    heightPx: Type.Integer(),
    moduleWidthMm: Type.Number(),
    warnings: Warnings,
  }),
  errors: ['BARCODE_INVALID', 'BARCODE_CHECKSUM', 'SYMBOLOGY_UNKNOWN', 'COLOR_INVALID'],
  examples: [
    {
      title: 'An EAN-13 without its check digit',
      input: { type: 'ean13', text: '400638133393' },
      answer: { type: 'ean13', encodedText: '4006381333931' },
    },
    {
      title: 'A Code 128 as SVG',
      input: { type: 'code128', text: 'ABC-123', format: 'svg' },
      answer: { type: 'code128' },
    },
  ],

  async run(input, { barcode, color }) {
    const { type, dpi, scale, format, gs1 } = input
    const symbol = symbolOf(type)
    const text = checkedText(input.text, symbol, input.checkDigit)
    const [dark, light] = await color.parse([input.dark, input.light])
    if (!dark || !light) throw new Problem('COLOR_INVALID', { field: dark ? 'light' : 'dark' })
    const isGs1 = gs1 === 'auto' && /^\(\d{2,4}\)/.test(text)
    const bcid = isGs1 ? (GS1_KINDS[symbol.bcid] ?? symbol.bcid) : symbol.bcid
    const options = drawOptions(input, symbol, dark, light)
    const drawn = await barcode.draw({ bcid, text, format, options })
    const bytes = typeof drawn === 'string' ? Buffer.from(drawn) : withDensity(drawn, dpi)
    const { width, height } = typeof drawn === 'string' ? svgSize(drawn) : pngSize(drawn)
    const output = { bytes, contentType: TYPES[format], name: `${type}.${format}` }
    const moduleWidthMm = Math.round(((scale * INCH_MM) / dpi) * 1e4) / 1e4
    return { result: { output, type, encodedText: text, widthPx: width, heightPx: height, moduleWidthMm } }
  },
})

const GS1_KINDS: Record<string, string> = {
  code128: 'gs1-128',
  datamatrix: 'gs1datamatrix',
  qrcode: 'gs1qrcode',
  dotcode: 'gs1dotcode',
}

function pngSize(png: Uint8Array): { width: number; height: number } {
  const head = Buffer.from(png.subarray(16, 24))
  return { width: head.readUInt32BE(0), height: head.readUInt32BE(4) }
}

function svgSize(svg: string): { width: number; height: number } {
  const [, width = '0', height = '0'] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
  return { width: Number(width), height: Number(height) }
}
