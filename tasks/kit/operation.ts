import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Tools } from '../../pools/tools/index.ts'
import type { Price } from './price.ts'
import type { ProblemCode } from './problem.ts'
import { CALL_OPTIONS, FILE_CALL_OPTIONS, OUTPUT_RULE, type Warning, Warnings, withProperties } from './schema.ts'

export type ToolName = keyof Tools

/** What every run has at hand besides its tools. */
export interface Room {
  /** A path in this job's own folder; only there may anything be written. */
  out(name: string): string
  progress(done: number, total: number, unit: string): void
  readonly signal: AbortSignal
  now(): Date
}

export interface Example {
  title: string
  /** The body; a source may be `sample:<file>` for a file of test/samples. */
  input: Record<string, unknown>
  /** Fields of the answer that are known beforehand. */
  answer?: Record<string, unknown>
}

export interface Outcome<Result> {
  result: Result
  /** What was really used; at most what was held. Left out: what the price says of the input. */
  units?: number
  warnings?: Warning[]
}

export interface Operation<Input = unknown, Result = unknown> {
  summary: string
  description?: string
  /** The path where it is not `/v1/<family>/<file name>`. */
  path?: string
  price: Price<Input>
  uses: readonly ToolName[]
  input: TSchema
  output: TSchema
  errors: readonly ProblemCode[]
  examples: readonly Example[]
  /** Long ones answer with a ticket at once. */
  wait?: 'inline' | 'ticket'
  limitSeconds?: number
  run(input: Input, tools: never): Promise<Outcome<Result>> | Outcome<Result>
}

type Declaration<I extends TSchema, O extends TSchema, U extends ToolName> = Omit<
  Operation<Static<I>, Static<O>>,
  'input' | 'output' | 'uses' | 'run'
> & {
  input: I
  output: O
  uses: readonly U[]
  run(input: Static<I>, tools: Pick<Tools, U> & Room): Promise<Outcome<Static<O>>> | Outcome<Static<O>>
}

/** Declares an operation: the place of its file says its name, its address and its service key. */
export function define<I extends TSchema, O extends TSchema, const U extends ToolName = never>(
  declaration: Declaration<I, O, U>,
): Operation {
  const extra: TProperties = isFileProducing(declaration.output)
    ? { ...CALL_OPTIONS, ...FILE_CALL_OPTIONS }
    : CALL_OPTIONS
  const output = withProperties(declaration.output, { warnings: Warnings })
  return { ...declaration, output, input: sealed(withProperties(declaration.input, extra)) } as unknown as Operation
}

export function isFileProducing(output: TSchema): boolean {
  const arms = (output as { anyOf?: TSchema[] }).anyOf
  if (arms) return arms.some(isFileProducing)
  return Object.values((output as TObject).properties ?? {}).some(field => OUTPUT_RULE in field)
}

/** Closes every object of a schema that has named fields, so that a misspelt option is refused and never billed. */
function sealed(schema: TSchema): TSchema {
  const { properties, items, oneOf, anyOf } = schema as TSchema & Record<string, unknown>
  const closed: Record<string, unknown> = { ...schema }
  if (properties) {
    closed.properties = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, sealed(field)]))
    closed.additionalProperties = closed.additionalProperties ?? false
  }
  if (items) closed.items = sealed(items as TSchema)
  if (oneOf) closed.oneOf = (oneOf as TSchema[]).map(sealed)
  if (anyOf) closed.anyOf = (anyOf as TSchema[]).map(sealed)
  return closed as TSchema
}
