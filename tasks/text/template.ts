import { Type } from 'typebox'
import { Choice, define, FileManifest, FileOutput, type OutputPart, Problem, type Warning, Warnings } from '#kit'
import { holdsRoundedNumber } from '../formats/json/numbers.ts'
import { ESCAPES } from '../formats/mustache/escape.ts'
import { renderMustache } from '../formats/mustache/render.ts'
import { answerText, OUT_FORMAT, textPrice } from './schema.ts'

const MAX_FILES = 100
const MAX_TOTAL_LENGTH = 64 * 2 ** 20

const Data = Type.Unsafe<Record<string, unknown>>({ type: 'object' })
const Sources = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 262_144 },
  maxProperties: 100,
  description: 'Templates that the template may include, by name.',
})

export default define({
  summary: 'Fill a template with data, once or for every row of a list.',
  keywords:
    'mail merge, dear customer, liquid, mustache, handlebars, placeholders, variables, letter, fill in, fill a template, render a template with variables, template with a name to a document',
  description:
    'Liquid, or Mustache without lambdas. Templates can access only the given data and partials: no files, no inherited ' +
    'properties. A missing variable is an error unless strictVariables is off. Whole numbers divide to whole numbers in ' +
    'Liquid; write the divisor as 2.0 for decimals. Dates keep the offset they have. The result is text, not DOCX: give it to doc.convert for a document.',
  price: textPrice(['template']),
  uses: ['liquid'],
  input: Type.Object({
    template: Type.String({ maxLength: 262_144 }),
    data: Type.Optional(Data),
    rows: Type.Optional(Type.Array(Data, { minItems: 1, maxItems: 1000, description: 'One text per row.' })),
    combine: Choice(['concat', 'files'], {
      default: 'concat',
      description: 'How to return the texts of rows: as one text, or as up to 100 files.',
    }),
    separator: Type.String({ default: '', maxLength: 1000, description: 'Between the texts of two rows.' }),
    engine: Choice(['liquid', 'mustache'], { default: 'liquid' }),
    strictVariables: Type.Boolean({ default: true }),
    escape: Choice(ESCAPES, { default: 'none', description: 'How values are escaped; the template itself is not.' }),
    partials: Type.Optional(Sources),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    text: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('text/plain')),
    files: Type.Optional(FileManifest('text/plain')),
    warnings: Warnings,
  }),
  errors: [
    'CONFLICTING_OPTIONS',
    'TEMPLATE_SYNTAX',
    'TEMPLATE_VARIABLE',
    'TOO_MANY_OUTPUTS',
    'OUTPUT_TOO_LARGE',
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
  ],
  examples: [
    {
      title: 'A greeting in Liquid',
      input: { template: 'Hello {{ name | capitalize }}!', data: { name: 'ada' } },
      answer: { text: 'Hello Ada!' },
    },
    {
      title: 'A list in Mustache, safe for HTML',
      input: {
        template: '{{#items}}<li>{{.}}</li>{{/items}}',
        data: { items: ['a', '<b>'] },
        engine: 'mustache',
        escape: 'html',
      },
      answer: { text: '<li>a</li><li>&lt;b&gt;</li>' },
    },
    {
      title: 'A line for every row',
      input: {
        template: '{{ id }},{{ name }}',
        rows: [
          { id: 1, name: 'a' },
          { id: 2, name: 'b,c' },
        ],
        escape: 'csv',
        separator: '\n',
      },
      answer: { text: '1,a\n2,"b,c"' },
    },
  ],

  async run(input, { liquid }) {
    const { template, data, rows, combine, engine, strictVariables, partials = {} } = input
    if (data && rows) throw new Problem('CONFLICTING_OPTIONS', { fields: ['data', 'rows'] })
    const scopes = rows ?? [data ?? {}]
    if (combine === 'files' && scopes.length > MAX_FILES) {
      throw new Problem('TOO_MANY_OUTPUTS', { outputs: scopes.length, max: MAX_FILES })
    }
    const options = { template, partials, strictVariables, escape: input.escape, scopes }
    const texts = engine === 'liquid' ? await liquid.render(options) : renderMustache(options)
    const totalLength = texts.reduce((sum, text) => sum + text.length, 0)
    if (totalLength > MAX_TOTAL_LENGTH)
      throw new Problem('OUTPUT_TOO_LARGE', { limit: MAX_TOTAL_LENGTH, actual: totalLength })
    const warnings = holdsRoundedNumber(scopes) ? [ROUNDED] : undefined
    if (combine === 'files') return { result: { files: texts.map(createPart) }, warnings }
    return { result: answerText(texts.join(input.separator), input.outFormat, 'text.txt'), warnings }
  },
})

const ROUNDED: Warning = {
  code: 'NUMBER_ROUNDED',
  message: 'Whole numbers of the data beyond 2^53 may have lost digits; give them as texts to keep every digit.',
}

function createPart(text: string, index: number): OutputPart {
  return { index, bytes: Buffer.from(text), contentType: 'text/plain', name: `text-${index + 1}.txt` }
}
