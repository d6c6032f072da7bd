import { Problem, toPlainRates } from '#kit'
import { findPipeline, type PipelineRecord } from '../../../sql/pipeline/saved.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { validate } from '../../intake/validate.ts'
import type { Definition } from './definition.ts'
import { checkFileSteps, type GivenStep } from './file-steps.ts'
import { fillIn, readValues } from './parameters.ts'

/** The fields of a call of POST /v1/pipeline. */
interface PipelineFields extends Record<string, unknown> {
  inputs?: Record<string, unknown>
  steps?: GivenStep[]
  name?: string
  version?: number
  params?: Record<string, unknown>
}

/** Checks what the schema of a pipeline does not, and adds the operator's prices, with which the call is charged. */
export async function completePipeline(
  context: ApiContext,
  caller: Caller | undefined,
  given: PipelineFields,
): Promise<PipelineFields> {
  const fields = given.name === undefined ? requireSteps(given) : await readSaved(context, caller, given)
  const [firstInput = 'input'] = Object.keys(fields.inputs ?? {})
  const steps = checkFileSteps(context, fields.steps!, firstInput)
  const names = ['pipeline.run', ...steps.map(({ op }) => op.replace('/', '.'))]
  return { ...fields, steps, ...listRates(context, names) }
}

/** What the operator has set of the prices of these operations. */
function listRates({ settings }: ApiContext, names: readonly string[]) {
  const set = names.map(name => [name, toPlainRates(settings.ratesOf(name))] as const)
  const rates = Object.fromEntries(set.flatMap(([name, { rateMicros }]) => (rateMicros ? [[name, rateMicros]] : [])))
  const bases = Object.fromEntries(set.flatMap(([name, { baseMicros }]) => (baseMicros ? [[name, baseMicros]] : [])))
  return { rates, bases }
}

function requireSteps(fields: PipelineFields): PipelineFields {
  const stray = (['version', 'params'] as const).find(field => fields[field] !== undefined)
  if (stray !== undefined)
    throw new Problem('CONFLICTING_OPTIONS', { fields: [stray, 'steps'], reason: 'only with `name`' })
  if (!fields.steps) throw new Problem('MISSING_FIELD', { field: 'steps', oneOf: ['steps', 'name'] })
  return fields
}

/** The steps of a saved pipeline with the values of this call, checked again: they decide whether the whole is valid. */
async function readSaved(
  { db, catalog, payments }: ApiContext,
  caller: Caller | undefined,
  { name, version, params = {}, ...fields }: PipelineFields,
): Promise<PipelineFields> {
  if (fields.steps) throw new Problem('CONFLICTING_OPTIONS', { fields: ['steps', 'name'] })
  if (!caller) throw new Problem(payments ? 'SIGN_IN_REQUIRED' : 'MISSING_AUTH')
  const record: PipelineRecord<Definition> | undefined = await findPipeline(db, caller.accountId, name!, version)
  if (!record) throw new Problem('NOT_FOUND', { field: version === undefined ? 'name' : 'version', name, version })
  const { steps, outFormat, params: parameters = {} } = record.definition
  const filled = fillIn(steps, readValues(parameters, params))
  const call = {
    ...chooseOutputs(record.definition, fields),
    ...(outFormat && { outFormat }),
    ...fields,
    steps: filled,
  }
  validate(catalog.operation('pipeline.run')!.input, call)
  return { ...call, saved: { name: record.name, version: record.version } }
}

/** What a call says of its results takes the place of both ways to say it. */
function chooseOutputs({ output, outputs }: Definition, given: PipelineFields): Pick<Definition, 'output' | 'outputs'> {
  if (given.output !== undefined || given.outputs !== undefined) return {}
  return { ...(output !== undefined && { output }), ...(outputs && { outputs }) }
}
