import {
  type Composition,
  FILE_RULE,
  fieldEntries,
  findCeiling,
  findMarkedValues,
  findStepSources,
  type InputFile,
  LARGEST_FACTS,
  laneOf,
  type Micros,
  mapChildSchemas,
  markInputFile,
  type Operation,
  OUTPUT_RULE,
  PRICE_CEILING,
  replaceAt,
  requiredTools,
  type SchemaNode,
  type StepOperation,
  type StepSource,
  UNFETCHED_TYPE,
} from '#kit'
import { describeSteps } from './dry-run.ts'
import { runPipeline } from './execute.ts'
import type { PipelineCall } from './fields.ts'
import { type ListSources, listWanted, type NamedInputs, nameInputs, planSteps } from './plan.ts'
import { limitExtra, PIPELINE_PRICE, ratesOf } from './price.ts'
import { isFileStep, type PipelineStep } from './steps.ts'

/** The steps of one call, with the operations of those on files. */
class CallSteps {
  readonly #operations: ReadonlyMap<string, Operation>

  constructor(operations: readonly StepOperation[]) {
    this.#operations = new Map(operations.map(operation => [operation.name.replace('.', '/'), operation]))
  }

  operationOf({ op }: PipelineStep): Operation | undefined {
    return this.#operations.get(op)
  }

  readonly listSources: ListSources = step => {
    const operation = this.operationOf(step)
    return operation ? findStepSources(operation.input, step.params).map(({ value }) => value as StepSource) : []
  }

  /** The schema of the call: what the parameters of its steps hold of files and secrets is found as in any input. */
  describeInput(whole: SchemaNode, steps: readonly PipelineStep[]): SchemaNode {
    const { steps: list, ...others } = whole.properties!
    const prefixItems = steps.map(step => {
      const operation = this.operationOf(step)
      return operation ? { type: 'object', properties: { params: withoutProbes(operation.input) } } : list!.items!
    })
    return { ...whole, properties: { ...others, steps: { type: 'array', prefixItems } as SchemaNode } }
  }

  /** A tool is optional if every step that uses it can do without. */
  listTools(pipeline: Operation, steps: readonly PipelineStep[]): Pick<Operation, 'uses' | 'optional'> {
    const all = [pipeline, ...steps.flatMap(step => this.operationOf(step) ?? [])]
    const required = new Set(all.flatMap(requiredTools))
    const uses = [...new Set(all.flatMap(operation => operation.uses))]
    return { uses, optional: uses.filter(tool => !required.has(tool)) }
  }

  /** The most that each step on files can cost, by its position. */
  findCeilings({ steps, rates, bases, ...named }: PipelineCall): Map<number, Micros> {
    const inputs = nameInputs(named)
    const found = steps.map((step, index) => {
      const operation = this.operationOf(step)
      if (!operation) return undefined
      if (this.#mayTakeMany(operation, step, steps)) return [index, PRICE_CEILING] as const
      const micros = findCeiling(
        operation.price,
        withLargestFiles(operation, step.params, inputs) as never,
        ratesOf({ rates, bases }, step.op.replace('/', '.')),
      )
      return [index, micros] as const
    })
    return new Map(found.filter(each => each !== undefined))
  }

  /** Whether it takes all files of a step that makes a list of them, as many as they are. */
  #mayTakeMany({ input }: Operation, { params }: PipelineStep, steps: readonly PipelineStep[]): boolean {
    return findStepSources(input, params).some(({ path, value: { step, index } }) => {
      if (typeof path.at(-1) !== 'number' || index !== undefined) return false
      const source = steps.find(({ id }, at) =>
        typeof step === 'number' ? at === step : (id ?? `step${at + 1}`) === step,
      )
      const operation = source && this.operationOf(source)
      return operation
        ? fieldEntries(operation.output).some(([, field]) => OUTPUT_RULE in field && field.type === 'array')
        : false
    })
  }
}

/** A pipeline that can have these operations on files as steps. */
export function compose(
  declare: (fileSteps: readonly StepOperation[]) => Operation,
  fileSteps: readonly StepOperation[],
): Operation {
  const pipeline = declare(fileSteps)
  const composition: Composition<unknown> = {
    isStep: isFileStep,
    takesAdded: true,
    withSteps: operations => compose(declare, operations.filter(isRunInside)),
    forCall: input => composeCall(pipeline, input as PipelineCall, new CallSteps(fileSteps)),
  }
  return { ...pipeline, composition }
}

/** A step is waited for, and has no provider of its own lane. */
function isRunInside({ wait, uses }: Operation): boolean {
  return wait !== 'ticket' && laneOf(uses) !== 'remote'
}

/** Throws PIPELINE_INVALID if the steps do not fit together. */
function composeCall(pipeline: Operation, call: PipelineCall, steps: CallSteps): Operation {
  const planned = planSteps(call.steps, Object.keys(nameInputs<unknown>(call)), steps.listSources)
  listWanted(call, planned)
  const { output } = pipeline.dryRun!
  return {
    ...pipeline,
    input: steps.describeInput(pipeline.input as SchemaNode, call.steps),
    ...steps.listTools(pipeline, call.steps),
    price: {
      ...PIPELINE_PRICE,
      extraMicros: (input: PipelineCall) => limitExtra(input, sum(steps.findCeilings(input))),
    },
    dryRun: { output, run: (input, tools) => describeSteps(input as PipelineCall, tools, steps) },
    run: (input, tools) => runPipeline(input as PipelineCall, tools, steps.listSources),
  }
}

function sum(amounts: ReadonlyMap<number, Micros>): Micros {
  return [...amounts.values()].reduce((all, each) => all + each, 0n)
}

/** The files are probed by the step, with the password that it has for them. */
function withoutProbes(schema: SchemaNode): SchemaNode {
  const rule = (schema as Record<string, unknown>)[FILE_RULE] as object | undefined
  const copy = mapChildSchemas(schema, withoutProbes)
  return rule ? ({ ...copy, [FILE_RULE]: { ...rule, probe: undefined } } as SchemaNode) : copy
}

/** In place of every file one that holds as much as any can; its size is known if a call brings it. */
function withLargestFiles({ input }: Operation, params: unknown, inputs: NamedInputs): unknown {
  const enlarge = ({ sizeBytes, type, name }: Pick<InputFile, 'sizeBytes' | 'type' | 'name'>) =>
    markInputFile({ sizeBytes, type, name, facts: LARGEST_FACTS })
  const files = findMarkedValues(FILE_RULE, input, params).reduce(
    (value, { path, value: file }) => replaceAt(value, path, enlarge(file as InputFile)),
    params,
  )
  return findStepSources(input, params).reduce((value, { path, value: { step } }) => {
    const file = typeof step === 'string' && Object.hasOwn(inputs, step) ? inputs[step] : UNKNOWN_FILE
    return replaceAt(value, path, enlarge(file!))
  }, files)
}

/** Nothing is known of what a step makes before the run. */
const UNKNOWN_FILE = { sizeBytes: 50 * 2 ** 20, type: UNFETCHED_TYPE, name: undefined }
