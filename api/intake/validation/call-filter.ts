import { Type } from 'typebox'
import { Problem } from '#kit'

const DAY_PATTERN = '^[12]\\d{3}-\\d{2}-\\d{2}$'

/** Which calls a list has. */
export const CALL_FILTER = {
  from: Type.Optional(Type.String({ pattern: DAY_PATTERN, description: 'The first day, in UTC: 2026-01-31.' })),
  to: Type.Optional(Type.String({ pattern: DAY_PATTERN, description: 'The last day.' })),
  operation: Type.Optional(
    Type.String({ pattern: '^[\\w.-]{1,100}$', description: 'The name of an operation: pdf.merge.' }),
  ),
}

export function requireDays(filter: { from?: string; to?: string }): void {
  for (const field of ['from', 'to'] as const) {
    const day = filter[field]
    if (day !== undefined && !isDay(day)) throw new Problem('INVALID_PARAM', { field, reason: 'there is no such day' })
  }
}

/** Whether a text is a day that the calendar has. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return new RegExp(DAY_PATTERN).test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
