/**
 * What the file of a plugin imports, as `coinop/plugin`. A plugin is declared as our operations are; its price is data, because
 * other processes than the one that runs it compute prices.
 */
import type { Static, TSchema } from 'typebox'
import type { Example } from '../../kit/operation.ts'
import { Problem, type ProblemCode } from '../../kit/problem.ts'
import type { Warning } from '../../kit/schema.ts'
import type { PricedUnit } from './declaration.ts'

export { Type } from 'typebox'
export { Problem } from '../../kit/problem.ts'
export { Choice, FileInput, FileOutput, type InputFile } from '../../kit/schema.ts'

interface PluginPrice {
  usd: string
  per: PricedUnit
}

interface PluginModule<Input extends TSchema, Output extends TSchema> {
  /** `acme.shout` is served as POST /v1/acme/shout. */
  name: string
  summary: string
  description?: string
  /** Other words for what it does, as a caller may search for them. */
  keywords?: string
  price: PluginPrice
  input: Input
  output: Output
  /** The problems of ours that it throws. */
  errors?: readonly ProblemCode[]
  /** A source in an input may be `sample:<file>`, for a file of ours. */
  examples: readonly Example[]
  limitSeconds?: number
  /** The account or the wallet that gets a part of each charge. */
  author?: { account?: string; wallet?: string; percent: number }
  run(input: Static<Input>): Promise<PluginOutcome<Static<Output>>> | PluginOutcome<Static<Output>>
}

interface PluginOutcome<Result> {
  result: Result
  /** The units really used, at most those that the price counts. */
  units?: number
  warnings?: Warning[]
}

/** Declares an operation: the default export of its file. */
export function operation<Input extends TSchema, Output extends TSchema>(
  declaration: PluginModule<Input, Output>,
): PluginModule<Input, Output> {
  return declaration
}

/** A price for a call, or for what is counted of all input files: started pages, megapixels or mebibytes. */
export function price(usd: string, per: PricedUnit = 'call'): PluginPrice {
  return { usd, per }
}

/** Refuses an input: the caller is told the reason and pays nothing. */
export function refuse(reason: string): Problem {
  return new Problem('PLUGIN_REFUSED', { reason })
}
