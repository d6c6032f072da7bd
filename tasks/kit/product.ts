import type { WebhookEvent } from './events.ts'
import type { Notification } from './notification.ts'
import type { Tunable } from './setting.ts'
import type { Transitions } from './transitions.ts'

/** The status, the message for the caller and, if it differs from the problem's name, the code on the wire. */
export type ProblemEntry = readonly [status: number, message: string, wireCode?: string]

/** What the rest of the service knows of a product. Its operations, routes, steps and functions are found by their places. */
export interface ProductDeclaration {
  /** Its name on pages. */
  title: string
  /** One sentence about what it is for. */
  summary: string
  /** The family under which its routes are published, if it is not the name of its folder. */
  family?: string
  /** Of several products of one family, its summary describes the family. */
  isFamilyHead?: boolean
  /** The families of its routes in `routes/<family>/`, each with what it holds. */
  otherFamilies?: Readonly<Record<string, string>>
  /**
   * What a user may allow an application to do, as the page of consent says it: `bookings:read` is asked for by GET routes,
   * `bookings:write` by all others, and includes to read. Products of one family share what one of them declares.
   */
  scopes?: Readonly<Record<`${string}:read` | `${string}:write`, string>>
  /**
   * The page of its owner that the dashboard links to, by the title of the product or one of its own. Links are sorted by
   * position; the platform's are at 10, 20 and so on.
   */
  dashboard?: { path: string; position: number; title?: string }
  events?: Readonly<Record<string, WebhookEvent>>
  problems?: Readonly<Record<string, ProblemEntry>>
  /** The messages that it sends to people, by name. */
  notifications?: Readonly<Record<string, Notification>>
  settings?: Readonly<Record<string, Tunable<unknown>>>
  /** Of its priced calls, by service key, those whose prices follow from settings. */
  prices?: Readonly<Record<string, PriceSettings>>
  /** The states of its objects, of one table or of several. */
  states?: Transitions | readonly Transitions[]
  retention?: readonly Retention[]
  /** The SQL function that lists the stored objects of which the product has recorded the hash, as `key` and `sha256`. */
  contents?: `${string}.list_contents`
  /** The SQL function that drops what a database that was restored from a backup can no longer rely on. */
  restored?: `${string}.after_restore`
  /** Its steps that remove something outside of the database: they outlast their account, and are not forgotten when they fail. */
  lastingSteps?: readonly string[]
  /** The SQL function that deletes what the product keeps of an account, such as `lease.erase_account`. */
  erase?: `${string}.erase_account`
  /** The SQL function that returns, as JSON, what the product keeps of an account. */
  exported?: `${string}.export_account`
}

/** The settings that hold the rate of a price, and the least that a call costs. */
interface PriceSettings {
  rate: string
  least: string
}

/** What is kept for how long. `cli retention` prints it. */
export interface Retention {
  of: string
  after: string
  /** `step lease.forget`, `chore webhook.forget`, or the SQL function that does it with the account. */
  removedBy: string
  /** The SQL function that counts how much is due to a chore. What is due to a step is in its queue. */
  countedBy?: string
}

/**
 * The products by name. Each adds itself where it is declared, so that its problems and settings are known to the type
 * checker although nothing lists the products.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the products fill it
export interface Products {}

type NamesOf<Declared, Part extends string> = Declared extends { readonly [Key in Part]: infer Names }
  ? keyof Names & string
  : never

/** Every name that some product declares, such as the codes of its problems. */
export type ProductNames<Part extends 'problems' | 'settings' | 'scopes'> = {
  [Name in keyof Products]: NamesOf<Products[Name], Part>
}[keyof Products]

type FindIn<Declared, Part extends string, Name extends string> = Declared extends {
  readonly [Key in Part]: { readonly [Each in Name]: infer Value }
}
  ? Value
  : never

/** The setting of that name, whichever product declares it. */
export type ProductSetting<Name extends string> = {
  [Product in keyof Products]: FindIn<Products[Product], 'settings', Name>
}[keyof Products]

export function product<const Declaration extends ProductDeclaration>(declaration: Declaration): Declaration {
  return declaration
}
