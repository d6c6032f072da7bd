import type { ObjectStore } from '../../ops/providers/storage/contract.ts'
import type { Settings } from '../../sql/setting.ts'

/** The functions of a module of SQL callers, without their first argument, the database. */
type Bound<Callers> = {
  [Name in keyof Callers]: Callers[Name] extends (db: never, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never
}

/** A file that comes from outside; it is read once. */
export interface OpenedFile {
  chunks: AsyncIterable<Uint8Array>
  /** What its server tells this version by. */
  etag: string | undefined
}

/** Files of the operator's folder and, where the operator allows it, of the web. */
export interface OutsideFiles {
  /**
   * The file of a name, or the one at the address that the operator has set for its list, or at its own. `unchanged`: its
   * server has no other than that with the mark. Undefined: there is no such file here, and nothing may be fetched.
   */
  open(
    file: { list: string; name: string; url?: string | undefined },
    limits: { etag?: string; signal: AbortSignal },
  ): Promise<OpenedFile | 'unchanged' | undefined>
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
  /** Bytes have a record before they are put there. If that has gone meanwhile, they are removed. */
  store: Pick<ObjectStore, 'put' | 'remove'>
  outside: OutsideFiles
  mail: StepMail
  /** The address of the service, without a trailing slash. */
  publicUrl: string
  /** Encrypts a text for `owner`. */
  seal(text: string, owner: string): string
  /** Decrypts what `seal` has encrypted for `owner`, here or in the api. */
  unseal(sealed: string, owner: string): string
  /** Is aborted at the time limit of the step. */
  signal: AbortSignal
  now(): Date
  log(facts: Record<string, unknown>, text: string): void
}
