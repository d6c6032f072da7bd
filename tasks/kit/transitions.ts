/** The states of the rows of a table, each with those that may follow it. The first one is that of new rows. */
export interface Transitions {
  /** Such as `svc.handoff`. It has the columns `id`, `account_id`, `state` and `state_at`. */
  table: string
  states: Readonly<Record<string, readonly string[]>>
  /** Events of the product that are emitted when a row reaches a state. */
  events: Readonly<Record<string, string>>
}

/** Declares which states may follow which; `transition.move` of sql/functions/transition.sql refuses all others. */
export function transitions<const States extends { readonly [State in keyof States]: readonly (keyof States)[] }>(
  table: string,
  states: States,
  events: { readonly [State in keyof States]?: string } = {},
): Transitions {
  return { table, states: states as unknown as Transitions['states'], events: events as Transitions['events'] }
}
