import type { Static, TObject, TSchema } from 'typebox'
import type { Example, ProblemCode, ToolName, Tools, Warning } from '#kit'
import type { Dictionaries, ServiceOffer, ServiceTool } from './offer.ts'

/** What an engine of our own has found. */
interface EmbeddedAnswer<Result> {
  result: Result
  warnings?: Warning[]
}

interface EmbeddedCall<Params> {
  text: string
  params: Params
  /** As the caller says or the text tells; undefined if neither does. */
  language: string | undefined
  /** What its language is called in full, if the caller says it: `de-AT`. */
  locale: string | undefined
  dictionaries: Dictionaries | undefined
  tools: Pick<Tools, 'regex' | 'speller'>
}

/** How a task is done without a model. */
interface EmbeddedWork<Params, Result> {
  /** Such as `svc-textrank-1`. A change of what it answers needs another name. */
  engine: string
  /** `any`, or those that it knows. */
  languages: 'any' | readonly string[]
  /** It also looks words up where the operator has dictionaries. */
  looksUpWords?: true
  /** Whether it can do what is asked; without it, always. */
  accepts?(params: Params): boolean
  /** What a caller has to ask for so that it can. */
  needs?: string
  run(call: EmbeddedCall<Params>): Promise<EmbeddedAnswer<Result>> | EmbeddedAnswer<Result>
}

/** What is asked of a model. The text of the caller is data inside of `user`, never a part of `system`. */
export interface Prompt {
  system: string
  user: string
  /** Of an answer that is JSON; a text without it. */
  schema?: object
}

export interface ModelCall<Params> {
  text: string
  params: Params
  language: string | undefined
  /** There where the call has a pattern. */
  regex?: Tools['regex'] | undefined
}

/** What is wrong with an answer, in words and in parts. */
export interface Fault {
  fault: string
  errors?: readonly object[]
}

type ReadAnswer<Result> = { result: Result; warnings?: Warning[] } | Fault

/** How a task is done by a model. */
export interface ModelWork<Params, Result> {
  prompt(call: ModelCall<Params>): Prompt
  /** Of the answer, in tokens. */
  maxOutputTokens(textBytes: number, params: Params): number
  /** Throws what is wrong with a call that only the tools can tell, before the model is asked. */
  prepare?(call: ModelCall<Params>): Promise<void>
  /** The result, or what is wrong with the answer, which the model is told once or twice more. */
  read(answer: string, call: ModelCall<Params>): ReadAnswer<Result> | Promise<ReadAnswer<Result>>
  /** How often an answer with a fault is asked for again. */
  rounds: number
  /** Thrown where no round gave a result. */
  problem?: ProblemCode
  /** What to note of a part, in so many tokens, where a text is longer than the model reads at once. The notes are then the text. */
  notes?(call: ModelCall<Params>, tokens: number): Prompt
  /** Makes pieces of a streamed answer readable; without it they are not given. */
  openPieces?(call: ModelCall<Params>): (piece: string) => string
}

/** How a task is done by a service that does nothing else. */
interface ServiceWork<Params, Result> {
  tool: ServiceTool
  /** Those that there are. */
  adapters: readonly string[]
  /** A field that asks for what the service does not do. */
  findLack?(params: Params, offer: ServiceOffer): string | undefined
  run(
    call: { text: string; params: Params; language: string | undefined },
    tools: Pick<Tools, ServiceTool>,
  ): Promise<{ result: Result; warnings?: Warning[] }>
}

export interface Task<Params extends TObject = TObject, Result extends TSchema = TSchema> {
  slug: string
  summary: string
  keywords: string
  description: string
  params: Params
  result: Result
  /** Throws INVALID_PARAM for what no schema of ours tells, before anything is held. */
  checkParams?(params: Static<Params>): void
  embedded?: EmbeddedWork<Static<Params>, Static<Result>>
  model?: ModelWork<Static<Params>, Static<Result>>
  service?: ServiceWork<Static<Params>, Static<Result>>
  /** Tools of its own engine. */
  uses?: readonly Extract<ToolName, 'regex'>[]
  /** Its flat price in units of 0.001 USD, where the size of the text does not matter. */
  flatUnits?: number
  errors?: readonly ProblemCode[]
  examples: readonly Example[]
}

export function task<Params extends TObject, Result extends TSchema>(
  declared: Task<Params, Result>,
): Task<Params, Result> {
  return declared
}
