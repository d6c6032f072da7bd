import { Problem } from '#kit'

const FIRST_YEAR = 1980
const LAST_YEAR = 2107
const ALLOWED = `now, zero, or a date from ${FIRST_YEAR} to ${LAST_YEAR}`

/** Zip counts years from 1980 in seven bits. */
export function parseTimestamp(timestamps: string, now: Date): number | undefined {
  if (timestamps === 'zero') return undefined
  if (timestamps === 'now') return now.getTime()
  const text = timestamps.includes('T') && !timestamps.endsWith('Z') ? `${timestamps}Z` : timestamps
  const date = new Date(text)
  const year = date.getUTCFullYear()
  if (!isRealDay(timestamps) || Number.isNaN(date.getTime()) || year < FIRST_YEAR || year > LAST_YEAR)
    throw new Problem('INVALID_PARAM', { field: 'timestamps', allowed: ALLOWED })
  return date.getTime()
}

/** Otherwise 30 February would become 2 March. */
function isRealDay(timestamp: string): boolean {
  const day = timestamp.slice(0, 10)
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}
