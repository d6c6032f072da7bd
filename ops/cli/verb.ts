import type { Db } from '../../sql/db.ts'
import type { Config } from '../config.ts'

/** What a verb has at hand. */
export interface Room {
  db: Db
  url: string
  config: Config
}

export interface Answer {
  /** What `--json` prints. */
  data: unknown
  /** What a person reads. */
  text: string
}

export interface Verb {
  /** What is given, in order, such as `<id> <usd>`. */
  args: readonly string[]
  /** Flags that take a value, such as `name`. */
  flags?: readonly string[]
  summary: string
  run(room: Room, args: readonly string[], flags: Readonly<Record<string, string | undefined>>): Promise<Answer>
}

/** The verbs of one noun; a noun that is a verb itself has the empty name. */
export type Verbs = Readonly<Record<string, Verb>>

/** Something given on the command line is wrong; the message is one sentence. */
export class Mistake extends Error {
  override readonly name = 'Mistake'
}
