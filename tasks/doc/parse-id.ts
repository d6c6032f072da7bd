import { Type } from 'typebox'
import { Choice, define, FileInput, perCall } from '#kit'
import { makeSendable } from '../formats/document/sendable-page.ts'
import { ID_TYPES } from './parse-id/fields.ts'
import { describeDocument, ID_RESULT } from './parse-id/result.ts'
import { readSide } from './parse-id/side.ts'
import { choosePage, HOSTED_ERRORS, PAGE_ERRORS, PAGE_TYPES, pageFields } from './schema.ts'

export default define({
  summary: 'Read an identity document.',
  keywords:
    'passport, mrz, id card, driving licence, driver license, visa, residence permit, aamva, pdf417, kyc, machine readable zone',
  description:
    'From the machine readable zone of passports, cards and visas (ICAO 9303) with its check digits, and from the PDF417 barcode of ' +
    'North American licences (AAMVA); what else is on it, where a provider reads it (`engine`). It reads the document and does not verify that it is genuine.',
  price: perCall('0.03'),
  uses: ['barcodeReader', 'hostedIdentity', 'pageRenderer', 'poppler', 'qpdf', 'sharp', 'tesseract'],
  input: Type.Object({
    ...pageFields,
    back: Type.Optional(
      FileInput({ accept: PAGE_TYPES, probe: 'document', description: 'The back of a card, of one page.' }),
    ),
    documentType: Choice(['auto', ...ID_TYPES], {
      default: 'auto',
      description: 'What it should be; another type is a mismatch.',
    }),
    country: Type.Optional(
      Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'Which country should have issued it (ISO 3166); another one is a mismatch.',
      }),
    ),
  }),
  output: ID_RESULT,
  errors: [...PAGE_ERRORS, ...HOSTED_ERRORS, 'ID_NOT_FOUND'],
  examples: [
    {
      title: 'The specimen of a passport',
      input: { file: 'sample:passport.png' },
      answer: { documentType: 'passport', issuingCountry: 'UTO', mrz: { format: 'TD3', valid: true } },
    },
  ],

  async run({ file, back, page, languages, password, minConfidence, documentType, country }, tools) {
    const reading = { languages, password }
    const first = { file, number: choosePage(file, page), name: 'front' }
    const second = back && { file: back, number: choosePage(back, undefined), name: 'back' }
    const files = second ? [first, second] : [first]
    const sides = []
    for (const side of files) sides.push(await readSide(side, reading, tools))
    const hosted = await tools.hostedIdentity.read(
      files.map(side => () => {
        const out = (name: string) => tools.out(`${side.name}-${name}`)
        return makeSendable({ file: side.file, page: side.number, password, languages }, { ...tools, out })
      }),
    )
    const expected = { ...(documentType !== 'auto' && { documentType }), ...(country && { issuingCountry: country }) }
    return describeDocument(sides, { expected, minConfidence, now: tools.now(), hosted })
  },
})
