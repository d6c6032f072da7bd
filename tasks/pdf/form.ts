import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, type Warning } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { checkAction, chooseFieldTextStyle, FieldValues, FormField } from './form/fields.ts'
import { FORM_PRICE, MAX_RECORDS } from './form/price.ts'
import {
  allowBreakSignatures,
  collectInputWarnings,
  collectReadWarnings,
  isSigned,
  PDF,
  PDF_ERRORS,
  PdfInput,
  password,
  rejectIfSigned,
  SIGNATURES_REMOVED,
} from './schema.ts'

export default define({
  summary: 'List, fill or flatten the form of a PDF.',
  keywords:
    'fill out, form fields of a pdf, what fields does the pdf have, acroform, flatten form, tax form, field values, checkbox',
  description:
    'Values in any script are rendered with embedded fonts. Filling only appends to the file, so that signatures stay ' +
    'valid where the signer allowed it; flattening makes the fields part of the pages and invalidates signatures. With ' +
    '`records`, one filled copy per record.',
  price: FORM_PRICE,
  uses: ['qpdf', 'libpdf'],
  input: Type.Object({
    file: PdfInput(),
    action: Choice(['list', 'fill', 'flatten'], { default: 'list' }),
    values: Type.Optional(FieldValues),
    records: Type.Optional(
      Type.Array(FieldValues, {
        minItems: 1,
        maxItems: MAX_RECORDS,
        description: 'One filled copy per record, instead of `values`.',
      }),
    ),
    flatten: Type.Boolean({ default: false, description: 'Flatten after filling.' }),
    strict: Type.Boolean({
      default: true,
      description: 'Fail on an unknown field or an invalid value; otherwise it is skipped.',
    }),
    font: Type.String({
      default: 'auto',
      maxLength: 64,
      description: 'auto, sans or serif; auto keeps the form fonts for Latin text.',
    }),
    fontSize: Type.Optional(Type.Number({ minimum: 2, maximum: 144, description: 'Default: as the form defines.' })),
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

  async run(input, { qpdf, libpdf, out, progress }) {
    const { file, action, records } = input
    checkAction(input)
    const flattens = action === 'flatten' || (action === 'fill' && input.flatten)
    if (flattens) rejectIfSigned(file, input.allowBreakSignatures)
    const path = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    if (action === 'list') return { result: await libpdf.readForm(path), warnings: collectReadWarnings(file) }
    // A signature covers the exact bytes of the file: a signed file is only appended to, never rewritten.
    const dropsSignatures = isSigned(file) && (flattens || path !== file.path || input.allowBreakSignatures)
    const sourcePath = dropsSignatures ? await libpdf.dropSignatures(path, { to: out('unsigned.pdf') }) : path
    const plan = { isStrict: input.strict, shouldFlatten: flattens, textStyle: chooseFieldTextStyle(input) }
    const warnings: Warning[] = [...collectInputWarnings([file]), ...(dropsSignatures ? [SIGNATURES_REMOVED] : [])]
    const fill = async (values: object, name: string) => {
      const filled = await libpdf.fillForm(sourcePath, { ...plan, values: { ...values }, to: out(`filled-${name}`) })
      warnings.push(...filled.warnings.filter(({ message }) => !warnings.some(known => known.message === message)))
      const isIncrementalUpdate = isSigned(file) && !dropsSignatures
      return {
        path: isIncrementalUpdate ? filled.path : await qpdf.rewrite(filled.path, { to: out(name) }),
        contentType: PDF,
        name,
      }
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
