import { define, type Operation, type Price, type StepOperation } from '#kit'
import { EXPRESSION_ERRORS, STEP_ERRORS } from '../formats/tables/steps/input.ts'
import { SQL_ERRORS } from '../formats/tables/steps/queries.ts'
import { compose } from './run/call.ts'
import { describeSteps } from './run/dry-run.ts'
import { runPipeline } from './run/execute.ts'
import { PipelineAnswer, type PipelineCall, PipelineDryRun, pipelineInput } from './run/fields.ts'
import { PIPELINE_PRICE } from './run/price.ts'

const TABLE_ERRORS = [
  ...STEP_ERRORS,
  ...EXPRESSION_ERRORS,
  ...SQL_ERRORS,
  ...(['PIPELINE_INVALID', 'SCHEMA_MISMATCH', 'COLUMN_EXISTS', 'AGG_TYPE', 'BAD_RANGE', 'DUPLICATE_KEY'] as const),
  ...(['JOIN_EXPLOSION', 'JOIN_VALIDATION', 'MISSING_FIELD', 'MODE_DISABLED', 'STEP_TYPE_MISMATCH'] as const),
  ...(['COST_LIMIT_EXCEEDED', 'NOT_FOUND', 'CONFLICTING_OPTIONS'] as const),
]

/** `fileSteps` are the operations on files that can be steps. */
const declare = (fileSteps: readonly StepOperation[]): Operation =>
  define({
    path: '/v1/pipeline',
    summary:
      'Run several operations in one call, each with its fields: `steps: [{"op": "image/resize", "params": {"width": 300}}]`.',
    keywords:
      'run a pipeline, in one go, first this then that, run a saved pipeline, etl, workflow, chain, transform, steps, sequence, clean and aggregate, several operations, several steps at once, without uploading in between, many calls in one request, batch of calls, in one call, combine operations, one after another, scale a photo and make it grey and give webp in one call',
    description:
      'The page of an operation has its fields. Its file is left out: it is the result of the step before, ' +
      'which must be a file: doc/to-markdown makes one, pdf/ocr, pdf/to-markdown and pdf/extract-text do not. ' +
      'Steps are operations of csv, data and text, and up to ten on images, PDFs and documents unless the operator sets otherwise; none on archives, media or web pages. If a step fails, the error names it and nothing is charged.',
    price: PIPELINE_PRICE as Price<never>,
    uses: ['duckdb'],
    input: pipelineInput(fileSteps.map(({ name }) => name)),
    output: PipelineAnswer,
    errors: TABLE_ERRORS,
    stepErrors: [...new Set(fileSteps.flatMap(step => step.errors))],
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

    dryRun: { output: PipelineDryRun, run: (input, tools) => describeSteps(input as PipelineCall, tools) },
    run: (input, tools) => runPipeline(input as PipelineCall, tools),
  })

export default compose(declare, [])
