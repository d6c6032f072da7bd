import type { ObjectStore } from '../../ops/providers/storage/contract.ts'
import type { Settings } from '../../sql/setting.ts'

/** The functions of a module of SQL callers, without their first argument, the database. */
type Bound<Callers> = {
  [Name in keyof Callers]: Callers[Name] extends (db: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never
}

interface StepMail {
  /** Without a mail server no mail is sent. */
  isSending: boolean
  /** Returns why the server will never take it, or undefined if it was taken. */
  send(mail: { to: string; subject: string; text: string; messageId: string }): Promise<string | undefined>
}

/** What a step is given by the worker that runs it; `Callers` is the module sql/<product>/steps.ts. */
export interface StepDeps<Callers = Record<never, never>> {
  sql: Bound<Callers>
  settings: Pick<Settings, 'get'>
  store: ObjectStore
  mail: StepMail
  /** The address of the service, without a trailing slash. */
  publicUrl: string
  /** Decrypts what `seal` of ops/secrets.ts has encrypted for `owner`. */
  unseal(sealed: string, owner: string): string
  /** Is aborted at the time limit of the step. */
  signal: AbortSignal
  now(): Date
  log(facts: Record<string, unknown>, text: string): void
}
