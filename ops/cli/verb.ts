import type { Db } from '../../sql/db.ts'
import type { Config } from '../config.ts'
import type { Environment } from '../variables.ts'

/** What every verb is given. */
export interface CliContext {
  db: Db
  url: string
  config: Config
  /** Where the configuration was read from; without it, the environment of this process. */
  env: Environment | undefined
}

export interface CommandOutput {
  /** What `--json` prints. */
  data: unknown
  /** What is printed otherwise. */
  text: string
  /** What was found is wrong, so the command ends with the exit code of a failure. */
  isFailure?: boolean
}

/** What the command line needs to know of a verb before it loads the module that runs it. */
export interface Verb {
  /** Names of the positional arguments, in order, such as `<id> <usd>`; `[<id>]` may be left out. */
  args: readonly string[]
  /** Flags that take a value, such as `name`. */
  flags?: readonly string[]
  /** Flags without a value; the verb gets `true` for those that are given. */
  switches?: readonly string[]
  summary: string
}

/** The verbs of each noun. */
export type Nouns = Readonly<Record<string, Readonly<Record<string, Verb>>>>

export type Run = (
  context: CliContext,
  args: readonly string[],
  flags: Readonly<Record<string, string | undefined>>,
) => Promise<CommandOutput>

/** The verbs of one noun, by name. What a noun does without a verb, such as `migrate`, has an empty name. */
export type Runs = Readonly<Record<string, Run>>

/** Of a noun, the verbs that need no installation: a module exports them as `bareRuns`. */
export type BareRuns = Readonly<
  Record<
    string,
    (
      env: Environment | undefined,
      args: readonly string[],
      flags: Readonly<Record<string, string | undefined>>,
    ) => Promise<CommandOutput>
  >
>

/** An argument on the command line is invalid; the message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
