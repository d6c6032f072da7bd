import { define, Problem } from '#kit'
import { EXPRESSION_ERRORS, STEP_ERRORS } from '../formats/table-steps/input.ts'
import { SQL_ERRORS } from '../formats/table-steps/queries.ts'
import { PipelineAnswer, PipelineInput } from './run/fields.ts'
import { divideCharge, nameTables, PIPELINE_PRICE, planSteps, sumBytes } from './run/plan.ts'

export default define({
  path: '/v1/pipeline',
  summary: 'Run several data operations one after another in one call.',
  keywords: 'etl, workflow, chain, transform, steps, sequence, clean and aggregate, several operations',
  description:
    'The tables stay in one database between the steps. The price is the sum of the steps. If a step fails, the error names it and nothing is charged.',
  price: PIPELINE_PRICE,
  uses: ['tables'],
  input: PipelineInput,
  output: PipelineAnswer,
  errors: [
    ...STEP_ERRORS,
    ...EXPRESSION_ERRORS,
    ...SQL_ERRORS,
    ...(['PIPELINE_INVALID', 'SCHEMA_MISMATCH', 'COLUMN_EXISTS', 'AGG_TYPE', 'BAD_RANGE', 'DUPLICATE_KEY'] as const),
    ...(['JOIN_EXPLOSION', 'JOIN_VALIDATION', 'MISSING_FIELD'] as const),
  ],
  examples: [
    {
      title: 'Clean, filter and sum',
      input: {
        file: { text: 'city,amount\nRome,10\nOslo,\nRome,7\n' },
        steps: [
          { op: 'data/dropna' },
          { op: 'data/filter', params: { where: 'amount > 5' } },
          { op: 'data/groupby', params: { by: ['city'], aggs: [{ column: 'amount', fn: 'sum', as: 'total' }] } },
        ],
        outFormat: 'json',
      },
      answer: { rowsOut: 1, preview: [{ city: 'Rome', total: 17 }] },
    },
  ],

  async run({ file, inputs, steps, outputs, outFormat, outCsv, preview }, { tables }) {
    const named = nameTables({ file, inputs })
    const planned = planSteps(steps, Object.keys(named))
    const wanted = outputs ?? [planned.at(-1)!.id]
    const unknown = wanted.find(id => !planned.some(step => step.id === id))
    if (unknown !== undefined) throw new Problem('PIPELINE_INVALID', { reason: 'no step has this id', name: unknown })
    const shared = { outCsv, preview, ...(outFormat && { format: outFormat }) }
    const answer = await tables.run({
      tables: named,
      steps: planned,
      outputs: wanted.map(from => ({ from, ...shared })),
    })
    for (const [stepIndex, { expectColumns }] of steps.entries()) {
      const { id, columns } = answer.steps[stepIndex]!
      const missing = expectColumns?.filter(column => !columns.some(({ name }) => name === column)) ?? []
      if (missing.length > 0)
        throw new Problem('SCHEMA_MISMATCH', { step: id, stepIndex, missing, columns: columns.map(({ name }) => name) })
    }
    const charges = divideCharge(steps, sumBytes(named))
    const reports = answer.steps.map(({ id, rowsIn, rowsOut, ms, warnings }, index) => {
      const { op } = steps[index]!
      return {
        id,
        op,
        rowsIn,
        rowsOut,
        ms,
        chargedMicros: charges[index]!,
        ...(warnings.length > 0 && { warnings }),
      }
    })
    const last = answer.outputs.at(-1)!
    const result = { rowsOut: last.rows, columns: last.columns, preview: last.preview, steps: reports }
    if (!outputs) return { result: { ...result, output: last.file }, warnings: answer.warnings }
    const files = answer.outputs.map(({ file: part, rows, format }, index) => ({
      ...part,
      name: `${wanted[index]}.${format}`,
      step: wanted[index]!,
      rows,
    }))
    return { result: { ...result, files }, warnings: answer.warnings }
  },
})
