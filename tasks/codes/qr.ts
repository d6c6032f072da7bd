import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perCall, Warnings } from '#kit'
import { readLevel } from '../formats/qr/level.ts'
import {
  checkVariant,
  createCapacityProblem,
  isTooLong,
  LEVELS,
  listWarnings,
  nameVersion,
} from '../formats/qr/options.ts'
import { formatPayload, Payload } from '../formats/qr/payload.ts'
import { CssColor, computeContrast } from '../formats/raster/contrast.ts'
import { encodePng, encodeSvg, imageSize, type ModuleImage, renderGrey } from '../formats/raster/png-svg.ts'
import { encodeWebp } from '../formats/raster/webp.ts'

const TYPES = { png: 'image/png', svg: 'image/svg+xml', webp: 'image/webp' } as const
const WRITERS = { png: encodePng, svg: (image: ModuleImage) => Buffer.from(encodeSvg(image)), webp: encodeWebp }
/** Pixels per module that are enough for reading the code. */
const READ_SCALE = 6

export default define({
  summary: 'Generate a QR code and check that it can be read.',
  keywords:
    'link as a scannable square, qrcode, wifi, vcard, contact card, scan link, logo, make a qr code, qr code png',
  isFeatured: true,
  description:
    'Encodes a text, or typed data in the format that scanners expect. Every module is a whole number of pixels, so ' +
    'actualSize may be slightly less than the requested size. The image is read back before it is returned.',
  path: '/v1/qr',
  price: perCall('0.001'),
  uses: ['barcode', 'barcodeReader', 'color'],
  input: Type.Object({
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 7089, description: 'Give text or data.' })),
    data: Type.Optional(Payload),
    ecc: Choice(LEVELS, {
      default: 'M',
      description: 'The share that may be damaged; a higher level is taken where it fits.',
    }),
    variant: Choice(['qr', 'micro', 'rmqr'], { default: 'qr' }),
    version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 40, description: 'For variant qr only. Left out: the smallest that fits.' }),
    ),
    format: Choice(['png', 'svg', 'webp'], { default: 'png' }),
    size: Type.Integer({ default: 512, minimum: 64, maximum: 4096, description: 'Width in pixels.' }),
    margin: Type.Integer({ default: 4, minimum: 0, maximum: 16, description: 'Width of the quiet zone in modules.' }),
    dark: CssColor({ default: '#000000' }),
    light: CssColor({ default: '#ffffff', description: 'A CSS colour, or transparent.' }),
    verify: Type.Boolean({ default: true, description: 'Read the image back, and fail if it cannot be read.' }),
  }),
  output: Type.Object({
    output: FileOutput(Object.values(TYPES)),
    version: Type.String({ description: 'Such as 2, M3 or R13x43.' }),
    ecc: Choice(LEVELS, { description: 'The level of the code made.' }),
    modules: Type.Integer({ description: 'Width in modules.' }),
    actualSize: Type.Integer({ description: 'Width in pixels.' }),
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
      answer: { ecc: 'H', verified: true },
    },
  ],

  async run(input, { barcode, barcodeReader, color }) {
    const { ecc, variant, version, format, size, margin, verify } = input
    const text = exactlyOne(input, ['text', 'data']) === 'text' ? input.text! : formatPayload(input.data!)
    checkVariant(input)
    const [dark, light] = await color.parse([input.dark, input.light])
    if (!dark || !light) throw new Problem('COLOR_INVALID', { field: dark ? 'light' : 'dark' })
    const matrix = isTooLong(text, variant, ecc)
      ? undefined
      : await barcode.encodeMatrix({ variant, text, ecc, version })
    if (!matrix) {
      throw await createCapacityProblem(
        text,
        input,
        async (candidate, level) =>
          (await barcode.encodeMatrix({ variant, text: candidate, ecc: level, version })) !== undefined,
      )
    }
    const scale = Math.max(1, Math.floor(size / (matrix.width + 2 * margin)))
    const image: ModuleImage = { ...matrix, scale, margin, dark, light }
    const contrastRatio = computeContrast(dark, light)
    const verified = verify && (await canBeRead())
    if (verify && !verified) throw new Problem('QR_UNREADABLE', { contrastRatio })
    const output = { bytes: WRITERS[format](image), contentType: TYPES[format], name: `qr.${format}` }
    const measures = { modules: matrix.width, actualSize: imageSize(image).width, contrastRatio }
    const kind = { version: nameVersion(variant, matrix), ecc: readLevel(variant, matrix) }
    const result = { output, ...kind, ...measures, verified }
    return { result, warnings: listWarnings(variant, margin, light) }

    async function canBeRead(): Promise<boolean> {
      const grayImage = renderGrey({ ...image, scale: Math.min(scale, READ_SCALE) })
      const found = await barcodeReader.read(grayImage, { max: 1, tryHarder: true, tryInvert: false })
      const bytes = Buffer.from(text)
      return found.some(code => code.text === text || Buffer.from(code.bytes, 'base64').equals(bytes))
    }
  },
})
