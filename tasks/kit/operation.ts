import type { Static, TProperties, TSchema } from 'typebox'
import type { Micros } from './money.ts'
import type { Price, Rates } from './price.ts'
import type { ProblemCode } from './problem.ts'
import {
  CALL_OPTIONS,
  Delivered,
  FILE_CALL_OPTIONS,
  OUTPUT_RULE,
  type StepSource,
  type Warning,
  Warnings,
  withProperties,
} from './schema.ts'
import { fieldEntries, mapChildSchemas, type SchemaNode } from './schema-walk.ts'

/** The tools that operations may name in `uses`, with the functions of each. pools/tools/index.ts declares the members. */
// biome-ignore lint/suspicious/noEmptyInterface: the members are declared where the tools are.
export interface Tools {}

export type ToolName = keyof Tools

/** What is configured outside of an operation that its price follows from. Products declare the members. */
// biome-ignore lint/suspicious/noEmptyInterface: the members are declared by the products.
export interface Offers {}

/** What every run gets besides its tools. */
export interface RunContext {
  /** A path in the job's own folder, the only place where a run may write. */
  out(name: string): string
  progress(done: number, total: number, unit: string): void
  readonly signal: AbortSignal
  now(): Date
  /** Runs another operation in a folder of its own; only for an operation with a `composition`, outside of threads. */
  runStep?(step: StepRun): Promise<StepOutcome>
  /** Present if the caller takes the answer piece by piece. */
  emit?(piece: unknown): void
  /** Present where it runs in the api, or queued as a job of its own. */
  readonly jobId?: string
}

/** One operation that another runs as a step. */
export interface StepRun {
  /** The name of its folder. */
  id: string
  /** `pdf.rotate`. */
  operation: string
  /** Its input; files of the call, or `{ step }` for those that `resolve` finds. */
  input: unknown
  rates?: Rates
  resolve(source: StepSource): readonly StepFile[]
  /** Called before it runs, with the most that it can cost; throws if that is too much. */
  approve(maxMicros: Micros): void
}

export interface StepOutcome {
  /** The files it made, in order. */
  files: StepFile[]
  /** The other fields of its result. */
  fields: Record<string, unknown>
  warnings: readonly Warning[]
  chargeMicros: Micros
}

/** A file that a step left for the steps after it. */
export interface StepFile {
  path: string
  contentType: string
  name: string
  sizeBytes: number
}

export interface Example {
  title: string
  /** The body; a source may be `sample:<file>` for a file of tasks/samples. */
  input: Record<string, unknown>
  /** Fields of the answer that are known in advance. */
  answer?: Record<string, unknown>
}

export interface Outcome<Result> {
  result: Result
  /** The units really used, at most those that were held. Left out: as the price computes them from the input. */
  units?: number
  /** What it really costs besides its units, at most what was held for that. Left out: as the price says. */
  baseMicros?: Micros
  warnings?: Warning[]
}

/** How an operation runs others as its steps. */
export interface Composition<Input> {
  /** Whether an operation of this name can be a step. */
  isStep(name: string): boolean
  /** Operations that an operator has added can be steps too. */
  takesAdded?: boolean
  /** The same operation, with these as possible steps. */
  withSteps(operations: readonly StepOperation[]): Operation
  /** The same operation for one call: its schema, tools and price include those of the steps. */
  forCall(input: Input): Operation
}

export type StepOperation = Operation & { name: string }

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

/** How an answer is written that comes piece by piece, as the events of a stream. */
export interface Streaming {
  /** Whether a body asks for it; every other call does by accepting `text/event-stream`. */
  isAsked?(body: unknown): boolean
  /** Begins one answer; what it has written already decides what its end needs. */
  open(call: { jobId: string; body: unknown }): EventWriter
}

export interface EventWriter {
  writePiece(piece: unknown): string
  writeEnd(answer: unknown): string
  writeError(problem: object): string
}

/** How problems are written for clients of another protocol. */
export interface ProblemForm {
  schema: TSchema
  write(body: Readonly<Record<string, unknown>>, status: number): { body: object; headers: Record<string, string> }
}

/** Formats by their shortest usual names, between spaces: any of the first becomes any of the second. */
export interface Conversion {
  from: string
  to: string
}

export interface Operation<Input = unknown, Result = unknown> {
  summary: string
  /** Other words for what it does, as a caller may search for them: `shrink, make smaller, reduce file size`. */
  keywords?: string
  /** What it makes of what, for callers who search by formats. */
  converts?: readonly Conversion[]
  /** It is among the tools that an MCP client is shown first. */
  isFeatured?: boolean
  description?: string
  /** The URL path, if it is not `/v1/<family>/<file name>`. */
  path?: string
  price: Price<Input>
  uses: readonly ToolName[]
  /** Those of `uses` that only some calls need: without them the others still run. */
  optional?: readonly ToolName[]
  /** Those of `optional` of which there must be one: without them no call runs. */
  anyOf?: readonly ToolName[]
  /** Those of `optional` that a call cannot do without, where its body tells. Such a call has no others of them. */
  needs?(input: Input): readonly ToolName[]
  /** Adds to the input of each call what follows from the configuration, such as the price of a model. No caller can give it. */
  configure?(input: Input, offers: Offers, rates: Rates | undefined): Input
  /** It also runs in the process of the api where its tools are there, and may then answer piece by piece. */
  streaming?: Streaming
  /** Left out: as all others. */
  problemForm?: ProblemForm
  /** Left out: every call runs in a thread. An operation that uses tools has none. */
  instant?: InstantCalls<Input>
  input: TSchema
  output: TSchema
  errors: readonly ProblemCode[]
  examples: readonly Example[]
  /** `ticket` answers with a ticket at once, for operations that take long. */
  wait?: 'inline' | 'ticket'
  limitSeconds?: number
  composition?: Composition<Input>
  /** The problems of the operations that can be its steps. */
  stepErrors?: readonly ProblemCode[]
  /** What a dry run of an account answers besides the price: how, and in which fields. */
  dryRun?: { output: TSchema; run(input: Input, tools: never): Promise<object> }
  run(input: Input, tools: never): Promise<Outcome<Result>> | Outcome<Result>
}

type Declaration<I extends TSchema, O extends TSchema, U extends ToolName> = Omit<
  Operation<Static<I>, Static<O>>,
  'input' | 'output' | 'uses' | 'optional' | 'anyOf' | 'needs' | 'configure' | 'run' | 'dryRun'
> & {
  configure?(input: Static<I>, offers: Offers, rates: Rates | undefined): Static<I>
  input: I
  output: O
  uses: readonly U[]
  optional?: readonly NoInfer<U>[]
  anyOf?: readonly NoInfer<U>[]
  needs?(input: Static<I>): readonly NoInfer<U>[]
  dryRun?: { output: TSchema; run(input: Static<I>, tools: Pick<Tools, U> & RunContext): Promise<object> }
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

/** Of the tools that only some calls need, a call has those that it needs; without an input, none of them. */
export function selectTools<Declared extends Pick<Operation, 'uses' | 'optional' | 'needs'>>(
  operation: Declared,
  input?: unknown,
): Declared {
  const { uses, optional = [], needs } = operation
  if (!needs) return operation
  const needed = input === undefined ? [] : needs(input)
  return { ...operation, uses: uses.filter(tool => !optional.includes(tool) || needed.includes(tool)), optional: [] }
}

const fileProducing = new WeakMap<TSchema, boolean>()

/** Asked in every call, so each schema is looked at once. */
export function isFileProducing(output: TSchema): boolean {
  const known = fileProducing.get(output)
  if (known !== undefined) return known
  const found = fieldEntries(output).some(([, field]) => OUTPUT_RULE in field)
  fileProducing.set(output, found)
  return found
}

/** Many operations share the schemas of files and of options, and each of them is closed once. */
const closedSchemas = new WeakMap<SchemaNode, SchemaNode>()

/** Closes every object of a schema that has named fields, so that a misspelt option is refused and never billed. */
function closeObjects(schema: SchemaNode): SchemaNode {
  const known = closedSchemas.get(schema)
  if (known) return known
  const closed = mapChildSchemas(schema, closeObjects)
  if (closed.properties) closed.additionalProperties ??= false
  closedSchemas.set(schema, closed)
  return closed
}
