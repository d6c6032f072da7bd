import { Problem, usd } from '#kit'
import { hasRealDay } from '../../intake/moment.ts'

/** An amount of dollars that was typed. */
export function readAmount(form: URLSearchParams, name: string): bigint {
  const text = (form.get(name) ?? '').trim().replace(/^\$/, '').replaceAll(',', '')
  try {
    return usd(text)
  } catch {
    throw new Problem('INVALID_PARAM', { field: name, reason: `“${text}” is not an amount of dollars such as 2.50.` })
  }
}

/** The database refuses an empty one. */
export function readReason(form: URLSearchParams): string {
  return (form.get('reason') ?? '').trim().slice(0, 500)
}

/** A moment in UTC as a form sends it, such as `2026-01-31T08:00`; undefined if the field is empty. */
export function readMoment(text: string | null | undefined, field: string): Date | undefined {
  if (!text) return undefined
  const date = new Date(/Z$/.test(text) ? text : `${text.length === 10 ? `${text}T00:00` : text}Z`)
  if (Number.isNaN(date.getTime()) || !hasRealDay(text))
    throw new Problem('INVALID_PARAM', { field, reason: 'Enter a moment in UTC, such as 2026-01-31T08:00.' })
  return date
}
