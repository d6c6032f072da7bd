import { Type } from 'typebox'
import { Choice, define, FileOutput, Problem, perCall, Warnings } from '#kit'
import { CssColor } from '../formats/raster/contrast.ts'
import { setPngDensity } from '../formats/raster/png-svg.ts'
import { INCH_MM, toEncoderOptions } from './barcode/layout.ts'
import { applyCheckDigit, createCheckWarning, findSymbology, SYMBOLOGIES } from './barcode/symbologies.ts'
import { encodeText } from './barcode/text.ts'

const TYPES = { png: 'image/png', svg: 'image/svg+xml' } as const

export default define({
  summary: 'Generate a barcode of any common kind.',
  keywords:
    'ean, upc, code128, code39, isbn, datamatrix, data matrix code, gtin, label, product code, check an isbn, check digit',
  description: `Kinds: ${Object.keys(SYMBOLOGIES).join(', ')}. Measures refer to a print at the given dpi.`,
  path: '/v1/barcode',
  price: perCall('0.001'),
  uses: ['barcode', 'color'],
  input: Type.Object({
    type: Type.String({ minLength: 1, maxLength: 40, examples: ['code128', 'ean13', 'upca', 'datamatrix', 'pdf417'] }),
    text: Type.String({ minLength: 1, maxLength: 3072 }),
    includeText: Type.Optional(Type.Boolean({ description: 'Left out: true for linear barcodes.' })),
    checkDigit: Choice(['auto', 'add', 'verify', 'none'], {
      default: 'auto',
      description:
        'auto adds and verifies the check digit of kinds that require one, such as EAN; add also that of Code 39, ' +
        'Codabar and MSI.',
    }),
    gs1: Choice(['auto', 'off'], {
      default: 'auto',
      description: 'auto reads (01) and the like as application identifiers.',
    }),
    height: Type.Number({ default: 12, minimum: 1, maximum: 200, description: 'Height of the bars in mm.' }),
    scale: Type.Integer({ default: 3, minimum: 1, maximum: 10, description: 'Width of the narrowest bar in pixels.' }),
    dpi: Type.Integer({ default: 300, minimum: 72, maximum: 1200 }),
    rotate: Type.Union(
      [Choice(['0', '90', '180', '270']), Type.Unsafe<number>({ type: 'integer', enum: [0, 90, 180, 270] })],
      {
        default: '0',
        description: 'Degrees clockwise; a number is accepted too.',
      },
    ),
    padding: Type.Number({ default: 2, minimum: 0, maximum: 20, description: 'In mm.' }),
    dark: CssColor({ default: '#000000' }),
    light: CssColor({ default: '#ffffff', description: 'A CSS colour, or transparent.' }),
    format: Choice(['png', 'svg'], { default: 'png' }),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    type: Type.String(),
    encodedText: Type.String({ description: 'What a reader reads, with the check characters that were added.' }),
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
    const symbol = findSymbology(type)
    const text = applyCheckDigit(input.text, symbol, input.checkDigit)
    const [dark, light] = await color.parse([input.dark, input.light])
    if (!dark || !light) throw new Problem('COLOR_INVALID', { field: dark ? 'light' : 'dark' })
    const isGs1 = gs1 === 'auto' && /^\(\d{2,4}\)/.test(text)
    const bcid = isGs1 ? (GS1_KINDS[symbol.bcid] ?? symbol.bcid) : symbol.bcid
    const set = encodeText(symbol, text)
    const options = { ...toEncoderOptions(input, symbol, dark, light), ...set.options }
    const encodedText = symbol.tellsCheck ? await readEncodedText() : text
    const warnings = symbol.hasCheck && encodedText !== text ? [createCheckWarning(encodedText)] : undefined
    const drawn = await barcode.render({ bcid, text: set.text, format, options })
    const bytes = typeof drawn === 'string' ? Buffer.from(drawn) : setPngDensity(drawn, dpi)
    const { width, height } = typeof drawn === 'string' ? readSvgSize(drawn) : readPngSize(drawn)
    const output = { bytes, contentType: TYPES[format], name: `${type}.${format}` }
    const moduleWidthMm = Math.round(((scale * INCH_MM) / dpi) * 1e4) / 1e4
    return { result: { output, type, encodedText, widthPx: width, heightPx: height, moduleWidthMm }, warnings }

    /** The asterisks of Code 39 are its start and stop, not text. */
    async function readEncodedText(): Promise<string> {
      return (await barcode.readPrintedText({ bcid, text, options })).replace(/^\*|\*$/g, '')
    }
  },
})

const GS1_KINDS: Record<string, string> = {
  code128: 'gs1-128',
  datamatrix: 'gs1datamatrix',
  qrcode: 'gs1qrcode',
  dotcode: 'gs1dotcode',
}

function readPngSize(png: Uint8Array): { width: number; height: number } {
  const head = Buffer.from(png.subarray(16, 24))
  return { width: head.readUInt32BE(0), height: head.readUInt32BE(4) }
}

function readSvgSize(svg: string): { width: number; height: number } {
  const [, width = '0', height = '0'] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
  return { width: Number(width), height: Number(height) }
}
