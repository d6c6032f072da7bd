import { Type } from 'typebox'
import { Choice, define, exactlyOne, FileOutput, Problem, perCall, Warnings } from '#kit'
import { listWarnings, nameVersion } from '../formats/qr/options.ts'
import { formatPayload, Payload } from '../formats/qr/payload.ts'
import { CssColor, computeContrast } from '../formats/raster/contrast.ts'
import { VECTOR_TYPES } from '../formats/svg/drawing.ts'
import { drawDesign, measureDesign } from './qr-logo/compose.ts'
import { designFields, prepareDesign } from './qr-logo/design.ts'
import { encodeOrRefuse, findReadableScale, LEVEL, LOGO_REDUCED } from './qr-logo/reading.ts'
import { DRAWING_ERRORS, ImagePart, renderDrawing } from './schema.ts'

const FORMATS = ['png', 'svg', 'webp'] as const

export default define({
  summary: 'Generate a QR code with a logo in its middle, and check that it can be read.',
  keywords: 'branded qr code, qr with image, custom qr, styled qr, rounded dots, gradient qr',
  description:
    'Error correction is H, which a logo needs. The drawn image is read back: if it cannot be read, the logo is made ' +
    'smaller in steps, with a warning; a design that cannot be read at all is refused.',
  price: perCall('0.002'),
  uses: ['barcode', 'barcodeReader', 'color', 'fonts', 'sharp'],
  input: Type.Object({
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 3057, description: 'Give text or data.' })),
    data: Type.Optional(Payload),
    logo: ImagePart('An image.'),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 40, description: 'Left out: the smallest that fits.' })),
    format: Choice(FORMATS, { default: 'png' }),
    size: Type.Integer({ default: 512, minimum: 64, maximum: 4096, description: 'Width in pixels.' }),
    margin: Type.Integer({ default: 4, minimum: 0, maximum: 16, description: 'Width of the quiet zone in modules.' }),
    dark: CssColor({ default: '#000000' }),
    light: CssColor({ default: '#ffffff', description: 'A CSS colour, or transparent.' }),
    ...designFields,
  }),
  output: Type.Object({
    output: FileOutput(FORMATS.map(format => VECTOR_TYPES[format])),
    ...{ version: Type.String(), ecc: Choice([LEVEL]), modules: Type.Integer(), contrastRatio: Type.Number() },
    actualSize: Type.Integer({ description: 'Width in pixels.' }),
    logoScale: Type.Number({ description: 'The scale at which the code could be read.' }),
    verified: Type.Boolean(),
    warnings: Warnings,
  }),
  errors: [
    ...([...DRAWING_ERRORS, 'IMAGE_DECODE_FAILED', 'UNSUPPORTED_FORMAT', 'CONFLICTING_OPTIONS'] as const),
    ...(['MISSING_FIELD', 'QR_CAPACITY_EXCEEDED', 'QR_UNREADABLE', 'BARCODE_INVALID'] as const),
  ],
  examples: [
    {
      title: 'An address with a logo',
      input: { text: 'https://example.com', logo: 'sample:gradient.png' },
      answer: { ecc: 'H', verified: true, logoScale: 0.2 },
    },
    {
      title: 'Rounded modules, a gradient and a line of text',
      input: {
        ...{
          data: { kind: 'wifi', ssid: 'Guests', password: 'hunter22' },
          logo: 'sample:gradient.png',
          logoShape: 'circle',
        },
        ...{ moduleStyle: 'rounded', eyeStyle: 'circle', dark: '#123a6b', gradient: { to: '#6b1239' } },
        frame: { text: 'Scan for Wi-Fi' },
      },
      answer: { verified: true },
    },
  ],

  async run(input, tools) {
    const text = exactlyOne(input, ['text', 'data']) === 'text' ? input.text! : formatPayload(input.data!)
    const matrix = await encodeOrRefuse(text, input.version, tools.barcode)
    const design = await prepareDesign(input, matrix, tools)
    const { width } = measureDesign(design)
    const scale = Math.max(1, Math.floor(input.size / width))
    const contrastRatio = computeContrast(design.dark, design.light)
    const logoScale = await findReadableScale(design, text, { scale, ...input }, tools)
    if (logoScale === undefined) throw new Problem('QR_UNREADABLE', { contrastRatio })
    const output = await renderDrawing(drawDesign(design, logoScale, scale), input.format, 'qr', tools)
    const measures = { modules: matrix.width, actualSize: width * scale, contrastRatio, logoScale }
    const result = { output, version: nameVersion('qr', matrix), ecc: LEVEL, ...measures, verified: true } as const
    const warnings = listWarnings('qr', input.margin, design.light)
    return { result, warnings: logoScale < input.logoScale ? [...warnings, LOGO_REDUCED] : warnings }
  },
})
