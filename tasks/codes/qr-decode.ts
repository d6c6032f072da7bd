import { Type } from 'typebox'
import { Choice, define, FileInput, type InputFile, perStartedBytes, Warnings } from '#kit'
import { parsedOf } from './parsed-shape.ts'

const PDF = 'application/pdf'
const TYPES = ['png', 'jpeg', 'webp', 'gif', 'tiff', 'avif', 'bmp', 'heic', 'svg+xml'].map(type => `image/${type}`)
const FORMATS = [
  'QRCode',
  'MicroQRCode',
  'RMQRCode',
  'DataMatrix',
  'Aztec',
  'PDF417',
  'MicroPDF417',
  'MaxiCode',
  'Code128',
  'Code39',
  'Code93',
  'EAN13',
  'EAN8',
  'UPCA',
  'UPCE',
  'ITF',
  'Codabar',
  'DataBar',
  'DataBarExp',
] as const
const CHARSETS = ['auto', 'UTF8', 'ASCII', 'ISO8859_1', 'Cp1252', 'Shift_JIS', 'GB18030', 'Big5', 'EUC_KR'] as const
const MEBIBYTE = 2 ** 20

export default define({
  summary: 'Read the QR codes and barcodes in a picture, or on a page of a PDF.',
  description:
    'Also turned, mirrored or inverted, and several at once. A picture without any is an answer, not an error.',
  price: perStartedBytes({ base: '0.001', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' }),
  uses: ['sharp', 'pagePicture', 'barcodeReader'],
  input: Type.Object({
    file: FileInput({ accept: [...TYPES, PDF], refuse: 'IMAGE_DECODE_FAILED' }),
    page: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 100_000,
      description: 'Of a PDF or of a picture with pages.',
    }),
    formats: Type.Optional(Type.Array(Choice(FORMATS), { maxItems: FORMATS.length, description: 'Left out: all.' })),
    max: Type.Integer({ default: 10, minimum: 1, maximum: 50 }),
    tryHarder: Type.Boolean({ default: true, description: 'Turn, invert and shrink the picture in the search.' }),
    charset: Choice(CHARSETS, { default: 'auto' }),
    parse: Type.Boolean({ default: true, description: 'Tell what the text stands for.' }),
  }),
  output: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    codes: Type.Array(
      Type.Object({
        format: Type.String(),
        text: Type.String(),
        bytes: Type.String({ description: 'Base64.' }),
        isText: Type.Boolean(),
        position: Type.Array(Type.Object({ x: Type.Number(), y: Type.Number() }), { description: 'Its four corners.' }),
        orientation: Type.Number(),
        isInverted: Type.Boolean(),
        isMirrored: Type.Boolean(),
        ecLevel: Type.String(),
        version: Type.String(),
        symbologyId: Type.String(),
        structuredAppend: Type.Optional(
          Type.Object({ index: Type.Integer(), count: Type.Integer(), id: Type.String() }),
        ),
        parsed: Type.Optional(
          Type.Unsafe<{ kind: string }>({
            type: 'object',
            properties: { kind: { type: 'string' } },
            additionalProperties: true,
          }),
        ),
      }),
    ),
    image: Type.Object({ width: Type.Integer(), height: Type.Integer() }),
    warnings: Warnings,
  }),
  errors: [
    'IMAGE_DECODE_FAILED',
    'TOO_MANY_PIXELS',
    'BAD_RANGE',
    'PDF_PARSE_FAILED',
    'PDF_PASSWORD_REQUIRED',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
    'SANDBOX_UNAVAILABLE',
  ],
  examples: [
    {
      title: 'A wireless network',
      input: { file: 'sample:wifi-code.png' },
      answer: { count: 1, codes: [{ format: 'QRCode', parsed: { kind: 'wifi', ssid: 'Guests', password: 'a;b' } }] },
    },
  ],

  async run({ file, page, formats, max, tryHarder, charset, parse }, { sharp, pagePicture, barcodeReader }) {
    const picture = await pictureOf(file)
    const options = { formats, max, tryHarder, ...(charset !== 'auto' && { charset }) }
    const { codes, ...image } = await barcodeReader.readSized(picture, options)
    const told = codes.map(code => ({ ...code, ...(parse && withParsed(code.text)) }))
    return { result: { count: told.length, codes: told, image } }

    async function pictureOf({ type, path }: InputFile) {
      if (type === PDF) return { path: await pagePicture.grey(path, page) }
      const { bytes, path: greyPath, width, height } = await sharp.luma(path, { page: page > 1 ? page : undefined })
      return bytes ? { grey: bytes, width, height } : { greyPath: greyPath!, width, height }
    }
  },
})

function withParsed(text: string) {
  const parsed = parsedOf(text)
  return parsed ? { parsed } : {}
}
