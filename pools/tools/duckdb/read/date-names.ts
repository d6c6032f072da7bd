/** Languages of Windows, by the last ten bits of the number that a format has of them. */
const LANGUAGES: Record<number, string> = {
  ...{ 1: 'ar', 2: 'bg', 3: 'ca', 4: 'zh', 5: 'cs', 6: 'da', 7: 'de', 8: 'el', 10: 'es', 11: 'fi', 12: 'fr', 13: 'he' },
  ...{ 14: 'hu', 15: 'is', 16: 'it', 17: 'ja', 18: 'ko', 19: 'nl', 20: 'nb', 21: 'pl', 22: 'pt', 24: 'ro', 25: 'ru' },
  ...{ 26: 'hr', 27: 'sk', 28: 'sq', 29: 'sv', 30: 'th', 31: 'tr', 33: 'id', 34: 'uk', 35: 'be', 36: 'sl', 37: 'et' },
  ...{ 38: 'lv', 39: 'lt', 41: 'fa', 42: 'vi', 45: 'eu', 47: 'mk', 54: 'af', 57: 'hi', 62: 'ms', 86: 'gl' },
}
/** Those that have names of their own for a country. */
const REGIONS: Record<number, string> = {
  ...{ 1028: 'zh-TW', 3076: 'zh-HK', 3079: 'de-AT', 2068: 'nn' },
  ...{ 2074: 'sr-Latn', 9242: 'sr-Latn', 3098: 'sr', 10266: 'sr', 5146: 'bs' },
}

interface DateParts {
  /** From 1. */
  month: number
  /** From Sunday, 0. */
  weekday: number
}

const NAMES = /"[^"]*"|\\.|\[[^\]]*\]|m{3,}|d{3,}/gi
const TAG = /\[\$[^\]-]*-([^\]]+)\]/

/** The format with the names of the month and of the day in its language; undefined if it has none, or they are English. */
export function writeDateNames(format: string, { month, weekday }: DateParts): string | undefined {
  const locale = findLocale(TAG.exec(format)?.[1] ?? '')
  if (locale === undefined) return undefined
  const hasDay = /(?<!d)d{1,2}(?!d)/i.test(format.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''))
  const named = format.replace(NAMES, part => {
    if (!/^(?:m|d)/i.test(part)) return part
    const text = /^d/i.test(part)
      ? nameDay(locale, weekday, part.length)
      : nameMonth(locale, month, part.length, hasDay)
    return `"${text}"`
  })
  // The parser takes the tag for that of a currency where no part of a date is left.
  return named === format ? undefined : named.replace(TAG, '')
}

function nameDay(locale: string, weekday: number, length: number): string {
  const options = { weekday: length === 3 ? 'short' : 'long', timeZone: 'UTC' } as const
  // The first day of 2023 is a Sunday.
  return new Intl.DateTimeFormat(locale, options).format(Date.UTC(2023, 0, 1 + weekday))
}

/** Beside the number of the day, some languages have another form of the name. */
function nameMonth(locale: string, month: number, length: number, hasDay: boolean): string {
  const form = length === 3 ? 'short' : 'long'
  const day = hasDay && form === 'long' ? 'numeric' : undefined
  const options = { month: form, day, timeZone: 'UTC' } as const
  const parts = new Intl.DateTimeFormat(locale, options).formatToParts(Date.UTC(2023, month - 1, 1))
  const text = parts.find(({ type }) => type === 'month')!.value
  return length === 5 ? [...text][0]! : text
}

/** A tag is a number of Windows, or has the letters of the language. */
function findLocale(tag: string): string | undefined {
  const code = Number.parseInt(tag, 16) & 0xffff
  const isNumber = /^[0-9a-f]+$/i.test(tag)
  const language = isNumber ? (REGIONS[code] ?? LANGUAGES[code & 0x3ff]) : tag.split(',', 1)[0]!
  if (!language || /^en\b/i.test(language)) return undefined
  try {
    const locale = `${language}-u-ca-gregory-nu-latn`
    return Intl.DateTimeFormat.supportedLocalesOf(locale)[0]
  } catch {
    return undefined
  }
}
