import type { Static, TProperties, TSchema } from 'typebox'
import type { Price } from './price.ts'
import type { ProblemCode } from './problem.ts'
import {
  CALL_OPTIONS,
  Delivered,
  FILE_CALL_OPTIONS,
  OUTPUT_RULE,
  type Warning,
  Warnings,
  withProperties,
} from './schema.ts'
import { fieldEntries, mapChildSchemas, type SchemaNode } from './schema-walk.ts'

/** The tools that operations may name in `uses`, with the functions of each. pools/tools/index.ts declares the members. */
// biome-ignore lint/suspicious/noEmptyInterface: the members are declared where the tools are.
export interface Tools {}

export type ToolName = keyof Tools

/** What every run gets besides its tools. */
export interface RunContext {
  /** A path in the job's own folder, the only place where a run may write. */
  out(name: string): string
  progress(done: number, total: number, unit: string): void
  readonly signal: AbortSignal
  now(): Date
}

export interface Example {
  title: string
  /** The body; a source may be `sample:<file>` for a file of test/samples. */
  input: Record<string, unknown>
  /** Fields of the answer that are known in advance. */
  answer?: Record<string, unknown>
}

export interface Outcome<Result> {
  result: Result
  /** The units really used, at most those that were held. Left out: as the price computes them from the input. */
  units?: number
  warnings?: Warning[]
}

/**
 * The calls that run in the process that has them, instead of a thread with a heap limit and a deadline. Only for work
 * whose worst case is a few milliseconds: test/intake/instant-work.test.ts gives every such operation its worst input.
 */
interface InstantCalls<Input> {
  /** The size of the whole input, in bytes. */
  maxBytes: number
  /** Whether the input asks for no more than that, where not only its size decides. Reads no files. */
  when?(input: Input): boolean
}

export interface Operation<Input = unknown, Result = unknown> {
  summary: string
  /** Other words for what it does, as a caller may search for them: `shrink, make smaller, reduce file size`. */
  keywords?: string
  /** It is among the tools that an MCP client is shown first. */
  isFeatured?: boolean
  description?: string
  /** The URL path, if it is not `/v1/<family>/<file name>`. */
  path?: string
  price: Price<Input>
  uses: readonly ToolName[]
  /** Those of `uses` that only some calls need: without them the others still run. */
  optional?: readonly ToolName[]
  /** Left out: every call runs in a thread. An operation that uses tools has none. */
  instant?: InstantCalls<Input>
  input: TSchema
  output: TSchema
  errors: readonly ProblemCode[]
  examples: readonly Example[]
  /** `ticket` answers with a ticket at once, for operations that take long. */
  wait?: 'inline' | 'ticket'
  limitSeconds?: number
  run(input: Input, tools: never): Promise<Outcome<Result>> | Outcome<Result>
}

type Declaration<I extends TSchema, O extends TSchema, U extends ToolName> = Omit<
  Operation<Static<I>, Static<O>>,
  'input' | 'output' | 'uses' | 'optional' | 'run'
> & {
  input: I
  output: O
  uses: readonly U[]
  optional?: readonly NoInfer<U>[]
  run(input: Static<I>, tools: Pick<Tools, U> & RunContext): Promise<Outcome<Static<O>>> | Outcome<Static<O>>
}

/** Declares an operation. Its name, URL and service key follow from the path of its file. */
export function define<I extends TSchema, O extends TSchema, const U extends ToolName = never>(
  declaration: Declaration<I, O, U>,
): Operation {
  const extra: TProperties = isFileProducing(declaration.output)
    ? { ...CALL_OPTIONS, ...FILE_CALL_OPTIONS }
    : CALL_OPTIONS
  const output = withProperties(declaration.output, { warnings: Warnings, delivered: Delivered })
  return {
    ...declaration,
    output,
    input: closeObjects(withProperties(declaration.input, extra)),
  } as unknown as Operation
}

/** The tools without which no call of the operation runs. */
export function requiredTools({ uses, optional = [] }: Pick<Operation, 'uses' | 'optional'>): readonly ToolName[] {
  return uses.filter(tool => !optional.includes(tool))
}

export function isFileProducing(output: TSchema): boolean {
  return fieldEntries(output).some(([, field]) => OUTPUT_RULE in field)
}

/** Closes every object of a schema that has named fields, so that a misspelt option is refused and never billed. */
function closeObjects(schema: SchemaNode): SchemaNode {
  const closed = mapChildSchemas(schema, closeObjects)
  return closed.properties ? { ...closed, additionalProperties: closed.additionalProperties ?? false } : closed
}
