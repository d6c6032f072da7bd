/** The parts of a moment as the clocks of a time zone show it. */
function readClock(at: Date, timeZone: string): Record<string, string> {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit' },
    minute: '2-digit',
  } as Intl.DateTimeFormatOptions).formatToParts(at)
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]))
}

/** Such as `2026-12-31 10:00`. */
export function formatMoment(at: string, timeZone: string): string {
  const { year, month, day, hour, minute } = readClock(new Date(at), timeZone)
  return `${year}-${month}-${day} ${hour}:${minute}`
}

/** The day of a moment in a time zone, as `2026-12-31`. */
export function findDay(at: Date, timeZone: string): string {
  return formatMoment(at.toISOString(), timeZone).slice(0, 10)
}

/** Whether there is such a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** A day as a document shows it. What is no day stays as it is. */
export function writeDay(day: string, format: string): string {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  if (year === undefined) return day
  return format.replace('YYYY', year).replace('MM', month!).replace('DD', date!)
}

const DAY_WORDS =
  /^\P{L}*(?:(?:the|today's|le|la|el|den)\s+)?(?:date|dated|day|today|on|datum|tag|heute|fecha|dia|día|data|dato|jour|päiväys|päivämäärä|tarih|дата|תאריך|(?:ال)?تاريخ|تاریخ|日付|日期|날짜)\P{L}*$/iu
const SIGNING_WORDS =
  /\bsign|unterschr|unterzeich|\bfirma|assinatura|ondertek|handteken|podpis|underskrift|allekirjoit|imza|подпис|חתימה|توقيع|امضا|署名|签署|签字|簽署|서명/iu

/** Whether a date gets the day of signing: one without a label, or with one such as “Date” or “Signed on”. A date of birth is asked for. */
export function isSigningDay({ type, label }: { type: string; label?: string | null }): boolean {
  return type === 'date' && (!label || DAY_WORDS.test(label) || SIGNING_WORDS.test(label))
}
