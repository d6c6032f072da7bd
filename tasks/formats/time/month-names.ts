/** Languages of Latin, Greek and Cyrillic letters in which forms and letters name months. */
const LANGUAGES =
  'bg ca cs da de el en es et eu fi fr ga gl hr hu is it lt lv mk mt nb nl pl pt ro ru sk sl sq sr sr-Latn sv tr uk'.split(
    ' ',
  )
/** With a day, many languages decline the name of a month. */
const FORMS: Intl.DateTimeFormatOptions[] = [
  { month: 'long' },
  { month: 'short' },
  { month: 'long', day: 'numeric' },
  { month: 'short', day: 'numeric' },
]
/** Short names that people write besides those of the standard. */
const OTHERS = ['sept', 'mrz', 'mär', 'jän', 'jänner', 'avr', 'janv', 'juil']
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The days of each month by what it is called. Where one name means two months, those of the longer one. */
let daysByName: ReadonlyMap<string, number> | undefined

/** How many days the month has that a word names in one of these languages, or is short for. */
export function countDaysOfMonth(word: string): number | undefined {
  daysByName ??= listNames()
  return daysByName.get(simplify(word))
}

function listNames(): Map<string, number> {
  const names = new Map(OTHERS.map(name => [simplify(name), 31]))
  for (const format of LANGUAGES.flatMap(openFormats)) {
    for (const [month, days] of DAYS.entries()) {
      const name = simplify(readMonth(format, new Date(Date.UTC(2000, month, 1))))
      names.set(name, Math.max(days, names.get(name) ?? 0))
    }
  }
  return names
}

function openFormats(language: string): Intl.DateTimeFormat[] {
  return FORMS.map(form => new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }))
}

function readMonth(format: Intl.DateTimeFormat, date: Date): string {
  return format.formatToParts(date).find(({ type }) => type === 'month')?.value ?? ''
}

/** Without accents, which capital letters often lack. */
function simplify(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
}
