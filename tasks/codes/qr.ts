import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perCall, Warnings } from '#kit'
import { contrastOf, Tint } from './color-shape.ts'
import { Payload, payloadText } from './payload-shape.ts'
import { capacityProblem, checkVariant, LEVELS, versionName, warningsOf } from './qr-shape.ts'
import { type Drawing, greyOf, pngOf, sizeOf, svgOf } from './raster-shape.ts'
import { webpOf } from './webp-shape.ts'

const TYPES = { png: 'image/png', svg: 'image/svg+xml', webp: 'image/webp' } as const
const WRITERS = { png: pngOf, svg: (drawing: Drawing) => Buffer.from(svgOf(drawing)), webp: webpOf }
/** Pixels a square that are enough to read it. */
const READ_SCALE = 6

export default define({
  summary: 'Make a QR code, and check that it can be read.',
  description:
    'Of a text, or of typed data that is written as scanners expect it. Every square is a whole number of pixels, so ' +
    'that actualSize may be a little less than the size asked for. The picture is read back before it is given.',
  path: '/v1/qr',
  price: perCall('0.001'),
  uses: ['barcode', 'barcodeReader', 'color'],
  input: Type.Object({
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 7089, description: 'Give text or data.' })),
    data: Type.Optional(Payload),
    ecc: Choice(LEVELS, { default: 'M', description: 'How much of the code may be damaged.' }),
    variant: Choice(['qr', 'micro', 'rmqr'], { default: 'qr' }),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 40, description: 'Of variant qr; left out, the smallest.' }),
    ),
    format: Choice(['png', 'svg', 'webp'], { default: 'png' }),
    size: Type.Integer({ default: 512, minimum: 64, maximum: 4096, description: 'Pixels across.' }),
    margin: Type.Integer({ default: 4, minimum: 0, maximum: 16, description: 'Squares of light around.' }),
    dark: Tint({ default: '#000000' }),
    light: Tint({ default: '#ffffff', description: 'A CSS colour, or transparent.' }),
    verify: Type.Boolean({ default: true, description: 'Read the picture back; what cannot be read is refused.' }),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    version: Type.String({ description: 'Such as 2, M3 or R13x43.' }),
    ecc: Choice(LEVELS),
    modules: Type.Integer({ description: 'Squares across.' }),
    actualSize: Type.Integer({ description: 'Pixels across.' }),
    contrastRatio: Type.Number(),
    verified: Type.Boolean(),
    warnings: Warnings,
  }),
  errors: ['QR_CAPACITY_EXCEEDED', 'COLOR_INVALID', 'QR_UNREADABLE', 'CONFLICTING_OPTIONS', 'BARCODE_INVALID'],
  examples: [
    {
      title: 'An address',
      input: { text: 'https://example.com' },
      answer: { version: '2', modules: 25, actualSize: 495, verified: true },
    },
    {
      title: 'A wireless network, as SVG',
      input: { data: { kind: 'wifi', ssid: 'Café; 5G', password: 'a:b"c' }, format: 'svg', ecc: 'Q' },
      answer: { ecc: 'Q', verified: true },
    },
  ],

  async run(input, { barcode, barcodeReader, color }) {
    const { ecc, variant, version, format, size, margin, verify } = input
    const text = exactlyOne(input, ['text', 'data']) === 'text' ? input.text! : payloadText(input.data!)
    checkVariant(input)
    const [dark, light] = await color.parse([input.dark, input.light])
    if (!dark || !light) throw new Problem('COLOR_INVALID', { field: dark ? 'light' : 'dark' })
    const matrix = await barcode.matrix({ variant, text, ecc, version })
    if (!matrix) {
      throw await capacityProblem(
        text,
        ecc,
        variant,
        async (words, level) => (await barcode.matrix({ variant, text: words, ecc: level, version })) !== undefined,
      )
    }
    const scale = Math.max(1, Math.floor(size / (matrix.width + 2 * margin)))
    const drawing: Drawing = { ...matrix, scale, margin, dark, light }
    const contrastRatio = contrastOf(dark, light)
    const verified = verify && (await isRead())
    if (verify && !verified) throw new Problem('QR_UNREADABLE', { contrastRatio })
    const output = { bytes: WRITERS[format](drawing), contentType: TYPES[format], name: `qr.${format}` }
    const shape = { modules: matrix.width, actualSize: sizeOf(drawing).width, contrastRatio }
    const result = { output, version: versionName(variant, matrix), ecc, ...shape, verified }
    return { result, warnings: warningsOf(variant, margin, light) }

    async function isRead(): Promise<boolean> {
      const picture = greyOf({ ...drawing, scale: Math.min(scale, READ_SCALE) })
      const found = await barcodeReader.read(picture, { max: 1, tryHarder: true, tryInvert: false })
      const bytes = Buffer.from(text)
      return found.some(code => code.text === text || Buffer.from(code.bytes, 'base64').equals(bytes))
    }
  },
})
