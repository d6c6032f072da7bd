import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, perCall, type Warning } from '#kit'
import { checkAction, FieldValues, FormField, type FormInput, looksWish } from './form-shape.ts'
import { opened } from './open-shape.ts'
import {
  allowBreakSignatures,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  refuseSigned,
  SIGNATURES_REMOVED,
  warningsOf,
} from './shape.ts'

export default define({
  summary: 'List, fill or flatten the form of a PDF.',
  description:
    'Values in any script are drawn with embedded fonts. Filling only adds to the file, so that signatures stay valid ' +
    'where the signer allowed it; flattening makes the fields part of the pages and breaks signatures. With records, ' +
    'a filled copy for each.',
  price: {
    ...perCall('0.001'),
    units: ({ action, records }: FormInput) => (action === 'list' ? 1 : records ? 2 * records.length : 3),
  },
  uses: ['qpdf', 'libpdf', 'pdfMaker'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['list', 'fill', 'flatten'], { default: 'list' }),
    values: Type.Optional(FieldValues),
    records: Type.Optional(
      Type.Array(FieldValues, {
        minItems: 1,
        maxItems: 100,
        description: 'A filled copy for each, instead of values.',
      }),
    ),
    flatten: Type.Boolean({ default: false, description: 'After filling.' }),
    strict: Type.Boolean({
      default: true,
      description: 'A field that is not there or a value that does not fit ends the call; otherwise it is skipped.',
    }),
    font: Type.String({ default: 'auto', maxLength: 64, description: 'auto, sans or serif; auto keeps Latin fonts.' }),
    fontSize: Type.Optional(Type.Number({ minimum: 2, maximum: 144, description: 'Left out: as the form says.' })),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    fields: Type.Optional(Type.Array(FormField)),
    xfa: Type.Optional(Choice(['none', 'static', 'dynamic'])),
    output: Type.Optional(FileOutput(PDF)),
    files: Type.Optional(FileManifest(PDF)),
  }),
  errors: [
    ...PDF_ERRORS,
    'CONFLICTING_OPTIONS',
    'FIELD_NOT_FOUND',
    'FIELD_VALUE_INVALID',
    'FONT_UNAVAILABLE',
    'MISSING_FIELD',
    'NO_FORM',
    'PDF_SIGNED',
    'XFA_UNSUPPORTED',
  ],
  examples: [
    { title: 'The fields of an order', input: { file: 'sample:order-form.pdf' }, answer: { xfa: 'none' } },
    {
      title: 'Fill it in',
      input: {
        file: 'sample:order-form.pdf',
        action: 'fill',
        values: { name: 'Ayşe Yılmaz', express: true, size: 'M', notes: '日本 まで' },
      },
    },
  ],

  async run(input, { qpdf, libpdf, pdfMaker, out, progress }) {
    const { file, action, records } = input
    checkAction(input)
    const isFlat = action === 'flatten' || (action === 'fill' && input.flatten)
    if (isFlat) refuseSigned(file, input.allowBreakSignatures)
    const path = await opened(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const told = warningsOf([file])
    if (action === 'list') {
      const warnings = told.filter(({ code }) => code !== 'ENCRYPTION_REMOVED')
      return { result: await pdfMaker.form(path), warnings }
    }
    // A signature holds only for the very bytes it was given for: such a file is added to and never rewritten.
    const isBroken = isSigned(file) && (isFlat || path !== file.path || input.allowBreakSignatures)
    const ready = isBroken ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const plan = { isStrict: input.strict, isFlat, looks: looksWish(input) }
    const warnings: Warning[] = [...told, ...(isBroken ? [SIGNATURES_REMOVED] : [])]
    const fill = async (values: object, name: string) => {
      const filled = await pdfMaker.fill(ready, { ...plan, values: { ...values }, to: out(`filled-${name}`) })
      warnings.push(...filled.warnings.filter(({ message }) => !warnings.some(known => known.message === message)))
      const isAddedTo = isSigned(file) && !isBroken
      return { path: isAddedTo ? filled.path : await qpdf.tidy(filled.path, { to: out(name) }), contentType: PDF, name }
    }
    if (!records) return { result: { output: await fill(input.values ?? {}, 'form.pdf') }, warnings }
    const files = []
    for (const [index, values] of records.entries()) {
      files.push({ index, ...(await fill(values, `form-${index + 1}.pdf`)) })
      progress(index + 1, records.length, 'records')
    }
    return { result: { files }, warnings }
  },
})
