import { Type } from 'typebox'
import { Choice, define, FileOutput } from '#kit'
import { TABLE_PRICE } from '../formats/tables/dialect.ts'
import { CHECK_PARAMS } from '../formats/tables/steps/checks.ts'
import { STEP_ERRORS, TableFile } from '../formats/tables/steps/input.ts'
import { type Profile, renderProfile } from './profile/report.ts'
import { takeStep } from './schema.ts'

export default define({
  summary: 'Describe each column of a table: type, nulls, distinct values, range, spread and meaning.',
  keywords:
    'column statistics, missing values per column, unique values, minimum and maximum of each column, describe, data quality, summary, histogram, outliers, pii, explore',
  description:
    'For each column its type, nulls, distinct values, quantiles, commonest values and patterns, outliers, and whether the texts are addresses, numbers of cards and the like.',
  price: TABLE_PRICE,
  uses: ['duckdb'],
  input: Type.Object({
    file: TableFile(),
    ...CHECK_PARAMS.profile.properties,
    report: Choice(['json', 'html'], { default: 'json', description: 'The form of the output file.' }),
  }),
  output: Type.Object({
    output: FileOutput(['application/json', 'text/html']),
    rows: Type.Integer({ minimum: 0 }),
    columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() }, { additionalProperties: true })),
    duplicateRows: Type.Integer({ minimum: 0 }),
    correlations: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
  }),
  errors: STEP_ERRORS,
  examples: [
    {
      title: 'A small table',
      input: { file: { text: 'id,mail\n1,a@x.de\n2,b@x.de\n2,b@x.de\n' } },
      answer: {
        rows: 3,
        duplicateRows: 1,
        columns: [
          { name: 'id', type: 'integer' },
          { name: 'mail', type: 'string', semantic: 'email' },
        ],
      },
    },
  ],

  async run({ file, report, ...params }, { duckdb }) {
    const { facts, warnings } = await takeStep(duckdb, { op: 'profile', tables: { input: file }, params })
    const profile = facts.profile as Profile
    const text = report === 'html' ? renderProfile(profile, file.name) : JSON.stringify(profile, null, 2)
    const contentType = report === 'html' ? 'text/html' : 'application/json'
    const output = { bytes: new TextEncoder().encode(text), contentType, name: `profile.${report}` }
    return { result: { output, ...profile } as never, warnings }
  },
})
