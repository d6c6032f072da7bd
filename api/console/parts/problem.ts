import type { Problem } from '#kit'

const TEXTS: Record<string, string> = {
  FORBIDDEN: 'Your role does not allow this. An operator with the role full can change it.',
  CSRF_REJECTED: 'The form is too old. Load the page again and send it once more.',
  MISSING_FIELD: 'A reason is needed; it is kept in the log.',
  VERSION_CONFLICT: 'It has changed since you loaded the page. Look again before you go on.',
}

/** What an operator is told of a refusal, with what the database said of it. */
export function describeProblem({ code, message, hints }: Problem): string {
  const { reason, field, min, max, amountMicros } = hints
  if (code === 'MISSING_FIELD' && field !== 'reason') return `${message} (${String(field)})`
  const bounds = min !== undefined && max !== undefined ? ` It must be from ${String(min)} to ${String(max)}.` : ''
  const amount = amountMicros === undefined ? '' : ` It now comes to ${String(amountMicros)} micros.`
  const why = typeof reason === 'string' && code !== 'CSRF_REJECTED' ? ` ${reason}` : ''
  return `${TEXTS[code] ?? message}${bounds}${amount}${why}`
}
