import { Type } from 'typebox'
import { Choice, define, perCall } from '#kit'
import { UNIT_PAGE } from '../formats/document/hosted.ts'
import { type DocumentPage, readPage } from '../formats/document/page.ts'
import { makeSendable } from '../formats/document/sendable-page.ts'
import { readFormFields } from '../formats/page-forms/layout.ts'
import { readOwnFields } from '../formats/page-forms/read.ts'
import { pickFields } from '../formats/page-forms/wanted.ts'
import {
  Box,
  choosePage,
  describeField,
  Engine,
  FieldFields,
  HOSTED_ERRORS,
  NO_TEXT_FOUND,
  PAGE_ERRORS,
  pageFields,
  toBox,
} from './schema.ts'

const readShown = (page: DocumentPage) => ({ fields: readFormFields(page), source: page.source })

export default define({
  summary: 'Extract the fields of a form.',
  keywords:
    'key value pairs, form data, labels and values, checkbox, tick box, filled in form, scanned form, questionnaire',
  description:
    'Labels with their values, check boxes and places for signatures, in the order of the page. The form fields of a ' +
    'PDF are read exactly; else values are found after a colon, on a line to write on, or below their label, in the ' +
    'text layer or a scan. A label without a value has the value "".',
  price: perCall('0.04'),
  uses: ['hostedFields', 'pageRenderer', 'libpdf', 'poppler', 'qpdf', 'sharp', 'tesseract'],
  input: Type.Object({
    ...pageFields,
    keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 100,
        description: 'Only the fields whose labels are like these, in this order.',
      }),
    ),
    include: Type.Array(Choice(['pairs', 'checkboxes', 'signatures']), {
      default: ['pairs', 'checkboxes', 'signatures'],
      minItems: 1,
      maxItems: 3,
    }),
  }),
  output: Type.Object({
    fields: Type.Array(
      Type.Object({
        ...FieldFields,
        wanted: Type.Optional(Type.String({ description: 'Which of the `keys` it fits.' })),
      }),
    ),
    missing: Type.Optional(Type.Array(Type.String(), { description: 'The `keys` that no field fits.' })),
    signatures: Type.Array(Type.Object({ box: Box })),
    source: Choice(['text-layer', 'ocr', 'model', 'form']),
    engine: Engine,
  }),
  errors: [...PAGE_ERRORS, ...HOSTED_ERRORS],
  examples: [
    {
      title: 'The fields of an order form',
      input: { file: 'sample:order-form.pdf', page: 1 },
      answer: { source: 'form' },
    },
    {
      title: 'Only some of them',
      input: { file: 'sample:order-form.pdf', page: 1, keys: ['Zip'], include: ['pairs'] },
    },
  ],

  async run(input, tools) {
    const { file, languages, password, minConfidence, include, keys } = input
    const number = choosePage(file, input.page)
    const request = { file, page: number, password, languages }
    // The fields of a PDF are read exactly, which no provider does.
    const own = await readOwnFields(request, tools)
    const { page, fields, source, engine, warnings } =
      (own.length === 0 && (await readHosted())) || (await readLocally())
    const kindOf = {
      checkbox: 'checkboxes',
      signature: 'signatures',
      text: 'pairs',
      date: 'pairs',
      number: 'pairs',
    } as const
    const included = fields.filter(({ type }) => include.includes(kindOf[type]))
    const picked = keys && pickFields(included, keys)
    const signatures = included.flatMap(({ type, valueBox }) =>
      type === 'signature' && valueBox ? [{ box: toBox(valueBox, page) }] : [],
    )
    const result = {
      fields: (picked?.fields ?? included).map(field => describeField(field, page)),
      ...(picked && { missing: picked.missing }),
      ...{ signatures, source, engine },
    }
    const isBlank = page.lines.length === 0 && fields.length === 0
    return { result, warnings: isBlank ? [...warnings, NO_TEXT_FOUND] : warnings }

    async function readHosted() {
      const hosted = await tools.hostedFields.read(() => makeSendable(request, tools))
      if (!hosted) return undefined
      const found = hosted.fields.filter(({ confidence }) => confidence >= minConfidence)
      const page = { ...UNIT_PAGE, lines: hosted.lines }
      return { page, fields: found, source: 'model' as const, engine: hosted.engine, warnings: hosted.warnings }
    }

    async function readLocally() {
      const page = await readPage({ ...request, minConfidence, findsRulings: true }, tools)
      const found = own.length > 0 ? { fields: own, source: 'form' as const } : readShown(page)
      return { page, ...found, engine: 'local' as const, warnings: [] }
    }
  },
})
