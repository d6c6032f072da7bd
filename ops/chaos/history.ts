interface HistoryEvent {
  atMs: number
  subject: string
  text: string
  /** How often it happened again at once. */
  repeats: number
}

const MAX_EVENTS = 200_000
const SHOWN_EVENTS = 25
const SHOWN_DISTURBANCES = 40
const AROUND_MS = 5_000
export const DISTURBANCES = 'disturbance'

/** What happened, as it was seen from outside. */
export class History {
  readonly #startedAtMs = Date.now()
  #events: HistoryEvent[] = []
  readonly #lastOf = new Map<string, HistoryEvent>()

  add(subject: string, text: string): void {
    const last = this.#lastOf.get(subject)
    if (last?.text === text) {
      last.repeats += 1
      return
    }
    const event = { atMs: Date.now(), subject, text, repeats: 0 }
    this.#lastOf.set(subject, event)
    this.#events.push(event)
    if (this.#events.length < 2 * MAX_EVENTS) return
    this.#events = this.#events.slice(-MAX_EVENTS)
    this.#lastOf.clear()
  }

  /** The last events of one key or object, and the disturbances around them. */
  around(subject: string): string[] {
    const own = this.#events.filter(event => event.subject === subject).slice(-SHOWN_EVENTS)
    const sinceMs = (own[0]?.atMs ?? Date.now()) - AROUND_MS
    const untilMs = (own.at(-1)?.atMs ?? Date.now()) + AROUND_MS
    const disturbances = this.#events.filter(
      ({ subject: of, atMs }) => of === DISTURBANCES && atMs >= sinceMs && atMs <= untilMs,
    )
    const shown = [...own, ...disturbances.slice(-SHOWN_DISTURBANCES)].toSorted((one, other) => one.atMs - other.atMs)
    return shown.map(({ atMs, subject: of, text, repeats }) => {
      const seconds = ((atMs - this.#startedAtMs) / 1_000).toFixed(3).padStart(9)
      return `${seconds} s  ${of}: ${text}${repeats > 0 ? ` (and ${repeats} times more)` : ''}`
    })
  }
}
