import { Type } from 'typebox'
import { Choice, define, FileInput, type InputFile, perStartedBytes, Warnings } from '#kit'
import { describeText } from './qr-decode/content.ts'

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
  summary: 'Read the QR codes and barcodes in an image, or on a page of a PDF.',
  keywords:
    'scan qr, read the code on a label, parcel label, read a code, read barcode, decode, scanner, datamatrix, ean',
  description:
    'Finds several codes at once, also rotated, mirrored or inverted ones. An image without codes is not an error.',
  price: perStartedBytes({ base: '0.001', covered: MEBIBYTE, step: 5 * MEBIBYTE, dollars: '0.001' }),
  uses: ['sharp', 'pageRenderer', 'barcodeReader'],
  input: Type.Object({
    file: FileInput({ accept: [...TYPES, PDF], refuse: 'IMAGE_DECODE_FAILED' }),
    page: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 100_000,
      description: 'Of a PDF, or of a multi-page image.',
    }),
    formats: Type.Optional(Type.Array(Choice(FORMATS), { maxItems: FORMATS.length, description: 'Left out: all.' })),
    max: Type.Integer({ default: 10, minimum: 1, maximum: 50 }),
    tryHarder: Type.Boolean({ default: true, description: 'Also search the image rotated, inverted and scaled down.' }),
    charset: Choice(CHARSETS, { default: 'auto' }),
    parse: Type.Boolean({
      default: true,
      description: 'Recognise what the text represents, such as a URL or a contact.',
    }),
  }),
  output: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    codes: Type.Array(
      Type.Object({
        format: Type.String(),
        text: Type.String(),
        bytes: Type.String({ description: 'Base64.' }),
        isText: Type.Boolean(),
        position: Type.Array(Type.Object({ x: Type.Number(), y: Type.Number() }), {
          description: 'The four corners of the code.',
        }),
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

  async run({ file, page, formats, max, tryHarder, charset, parse }, { sharp, pageRenderer, barcodeReader }) {
    const grayImage = await readGrayImage(file)
    const options = { formats, max, tryHarder, ...(charset !== 'auto' && { charset }) }
    const { codes, ...image } = await barcodeReader.readWithSize(grayImage, options)
    const parsedCodes = codes.map(code => ({ ...code, ...(parse && describeText(code.text)) }))
    return { result: { count: parsedCodes.length, codes: parsedCodes, image } }

    async function readGrayImage({ type, path }: InputFile) {
      if (type === PDF) return { path: await pageRenderer.renderGray(path, page) }
      const { width, height, ...luma } = await sharp.extractLuma(path, { page: page > 1 ? page : undefined })
      return luma.bytes ? { grey: luma.bytes, width, height } : { greyPath: luma.path!, width, height }
    }
  },
})
