import { Type } from 'typebox'
import { define, FileInput, FileOutput, Problem, perStartedBytes, type Warning } from '#kit'
import { editPart } from './replace-text/edit.ts'
import { openPackage, readXml } from './replace-text/package.ts'
import { createPlaceholderRule, createRule, listWarnings } from './replace-text/rules.ts'

const MEBIBYTE = 2 ** 20
/** What XML can hold. */
const WRITABLE = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]*$'
const Count = Type.Integer({ minimum: 0 })

const SIGNATURES_BROKEN: Warning = {
  code: 'SIGNATURES_BROKEN',
  message: 'The document has a digital signature, which no longer fits its content.',
}

export default define({
  summary: 'Replace words in an Office document, or fill its {{placeholders}}, and keep its layout.',
  keywords:
    'find and replace in word, search and replace docx, mail merge, fill a word template, placeholders, template variables, contract template, letter template, change names in a document, pptx, xlsx, odt, edit a word document',
  description:
    'For docx, pptx, xlsx, odt, odp and ods. Finds text in the body, tables, text boxes, headers, footers and notes, also ' +
    'where its format changes within a word; the replacement takes the format of its first letter. What is replaced is not ' +
    'searched again. No text is found across a tab or a line break, and none in formulas, charts, SmartArt and deleted text. ' +
    'A line break in a replacement becomes a space on slides of a pptx.',
  price: perStartedBytes({ base: '0.003', covered: 20 * MEBIBYTE, step: 20 * MEBIBYTE, dollars: '0.001' }),
  uses: ['unzip', 'zip'],
  input: Type.Object({
    file: FileInput({ description: 'The document.' }),
    rules: Type.Array(
      Type.Object({
        find: Type.String({ minLength: 1, maxLength: 1000, pattern: WRITABLE }),
        replace: Type.String({ maxLength: 10_000, pattern: WRITABLE }),
        matchCase: Type.Boolean({ default: true }),
        wholeWord: Type.Boolean({ default: false }),
      }),
      { default: [], maxItems: 100, description: 'Where two rules match at one place, the first is used.' },
    ),
    values: Type.Record(
      Type.String({ pattern: '^[^{}\\s](?:[^{}]{0,98}[^{}\\s])?$' }),
      Type.Union([Type.String({ maxLength: 10_000, pattern: WRITABLE }), Type.Number()]),
      { default: {}, maxProperties: 200, description: 'By name: `{{name}}` in the document becomes the value.' },
    ),
    comments: Type.Boolean({ default: false, description: 'Also in comments, except those of slides.' }),
  }),
  output: Type.Object({
    output: FileOutput('*/*'),
    replaced: Type.Integer({ minimum: 0, description: 'In all. A text that many cells of an xlsx share counts once.' }),
    rules: Type.Array(Type.Object({ find: Type.String(), count: Count })),
    values: Type.Record(Type.String(), Count, { description: 'How often each was filled in.' }),
    unfilled: Type.Array(Type.String(), { description: 'Names of placeholders without a value.' }),
  }),
  errors: [
    ...(['OFFICE_PARSE_FAILED', 'DOC_ENCRYPTED', 'UNSUPPORTED_FORMAT', 'ARCHIVE_UNSAFE', 'INPUT_TOO_LARGE'] as const),
    ...(['MISSING_FIELD', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'Another word',
      input: { file: 'sample:log-book.docx', rules: [{ find: 'Wind', replace: 'Breeze' }] },
      answer: { replaced: 2, rules: [{ find: 'Wind', count: 2 }], unfilled: [] },
    },
  ],

  async run({ file, rules: given, values, comments }, { unzip, zip, out }) {
    const names = Object.keys(values)
    if (given.length + names.length === 0)
      throw new Problem('MISSING_FIELD', { field: 'rules', oneOf: ['rules', 'values'] })
    const rules = [...names.map(name => createPlaceholderRule(name, values[name]!)), ...given.map(createRule)]
    const { markup, extension, contentType, members, texts, isSigned } = await openPackage(file, comments, {
      unzip,
      zip,
    })
    const counts = rules.map(() => 0)
    const placeholders = new Set<string>()
    for (const member of texts) {
      const edited = editPart(readXml(member), { part: member.name, markup, hasComments: comments, rules })
      if (edited.xml !== undefined) member.bytes = Buffer.from(edited.xml)
      for (const [at, count] of edited.counts.entries()) counts[at]! += count
      for (const name of edited.placeholders) placeholders.add(name)
    }
    const path = out(`replaced.${extension}`)
    await zip.write(members, { to: path, level: 6 })
    const found = {
      replaced: counts.reduce((sum, count) => sum + count, 0),
      rules: given.map(({ find }, at) => ({ find, count: counts[names.length + at]! })),
      values: Object.fromEntries(names.map((name, at) => [name, counts[at]!])),
      unfilled: [...placeholders].filter(name => !Object.hasOwn(values, name)),
    }
    const output = { path, contentType, name: file.name ?? `document.${extension}` }
    const warnings = listWarnings(found, names.length > 0)
    return {
      result: { output, ...found },
      warnings: isSigned && found.replaced > 0 ? [...warnings, SIGNATURES_BROKEN] : warnings,
    }
  },
})
