import { IsDate } from 'typebox/format'

/** Whether a text begins with a day that the calendar has. `Date` would take the 30th of February for a day in March. */
export function hasRealDay(text: string): boolean {
  return IsDate(text.slice(0, 10))
}
