import { type Static, type TObject, type TProperties, Type } from 'typebox'

/** A message to a person, which products queue by its name inside the transaction that makes it necessary. */
export interface Notification {
  /** When it is sent. */
  summary: string
  data: TObject
  /** Names of the data that only the recipient may read, such as a link that opens something. They are stored encrypted until it is sent. */
  secrets: readonly string[]
  example: Record<string, unknown>
  subject(data: object): string
  text(data: object, place: NotificationPlace): string
}

interface NotificationPlace {
  /** The address of the service, without a trailing slash. */
  publicUrl: string
}

interface Declared<Data extends TProperties> {
  summary: string
  data: Data
  secrets?: readonly (keyof Data & string)[]
  example: Static<TObject<Data>>
  subject(data: Static<TObject<Data>>): string
  text(data: Static<TObject<Data>>, place: NotificationPlace): string
}

export function notification<Data extends TProperties>(declared: Declared<Data>): Notification {
  return { secrets: [], ...declared, data: Type.Object(declared.data) } as unknown as Notification
}
