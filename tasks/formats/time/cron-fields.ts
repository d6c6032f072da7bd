import { Problem } from '#kit'
import { MONTHS, WEEKDAYS } from './calendar.ts'

/** The days that a cron expression names by their place in the month. */
interface SpecialDays {
  /** How many days before the last of the month: 0 for L. */
  fromEnd: Set<number>
  /** The working day nearest to this day of the month. */
  nearestWorkday: Set<number>
  /** Weekday and which one of the month, such as [5, 2]; 0 is the last. */
  nth: [weekday: number, which: number][]
}

export interface CronFields extends SpecialDays {
  minutes: number[]
  hours: number[]
  days: Set<number>
  months: Set<number>
  weekdays: Set<number>
  /** The hour begins with a star: the job runs by what passes, not by what the clock shows. */
  isEveryHour: boolean
  /** One of the two fields of days begins with a star, so both must fit; otherwise one is enough. */
  needsBothDays: boolean
}

interface Field {
  name: string
  min: number
  max: number
  names?: readonly string[]
}

const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
] as const satisfies readonly Field[]

const SHORT: Readonly<Record<string, string>> = {
  ...{ '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *', '@monthly': '0 0 1 * *', '@weekly': '0 0 * * 0' },
  ...{ '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@hourly': '0 * * * *' },
}

export function parseCron(given: string): CronFields {
  const text = SHORT[given.trim().toLowerCase()] ?? given.trim()
  const fields = text.split(/\s+/)
  if (fields.length !== 5) {
    const reason =
      'It has five fields: minute, hour, day of month, month and day of week. Seconds and years are not read.'
    throw invalid(given, reason)
  }
  const [minute, hour, day, month, weekday] = fields.map(field => field.toUpperCase().replaceAll('?', '*')) as Five
  const special: SpecialDays = { fromEnd: new Set(), nearestWorkday: new Set(), nth: [] }
  const read = (index: number, value: string) => readField(value, FIELDS[index]!, given)
  const isStarred = day.startsWith('*') || weekday.startsWith('*')
  return {
    minutes: read(0, minute),
    hours: read(1, hour),
    days: new Set(
      read(
        2,
        takeSpecial(day, item => takeMonthDay(item, special)),
      ),
    ),
    months: new Set(read(3, month)),
    weekdays: new Set(
      read(
        4,
        takeSpecial(weekday, item => takeNth(item, special)),
      ).map(value => value % 7),
    ),
    ...special,
    isEveryHour: hour.startsWith('*'),
    needsBothDays: isStarred,
  }
}

type Five = [minute: string, hour: string, day: string, month: string, weekday: string]

/** What is left of a list without the items that are special. */
function takeSpecial(value: string, take: (item: string) => boolean): string {
  return value
    .split(',')
    .filter(item => !take(item))
    .join(',')
}

function takeMonthDay(item: string, { fromEnd, nearestWorkday }: SpecialDays): boolean {
  const end = /^L(?:-(\d{1,2}))?$/.exec(item)
  if (end && Number(end[1] ?? 0) <= 30) return Boolean(fromEnd.add(Number(end[1] ?? 0)))
  const near = /^(\d{1,2})W$/.exec(item)
  return near !== null && Number(near[1]) >= 1 && Number(near[1]) <= 31 && Boolean(nearestWorkday.add(Number(near[1])))
}

function takeNth(item: string, { nth }: SpecialDays): boolean {
  const parts = /^(\w+?)(?:L|#([1-5]))$/.exec(item)
  const weekday = parts ? readValue(parts[1]!, FIELDS[4]) : undefined
  if (!parts || weekday === undefined) return false
  nth.push([weekday % 7, Number(parts[2] ?? 0)])
  return true
}

/** The numbers of a list of values, ranges and steps. */
function readField(text: string, field: Field, given: string): number[] {
  if (text === '') return []
  const values = text.split(',').flatMap(item => readItem(item, field, given))
  return [...new Set(values)].sort((a, b) => a - b)
}

const ITEM = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\d{1,4}))?$/

function readItem(item: string, field: Field, given: string): number[] {
  const range = readRange(item, field)
  if (!range) throw invalid(given, `“${item}” is no ${field.name}: it is ${describe(field)}.`)
  const [first, last, step] = range
  // Saturday to Sunday is 6-0 by the numbers of the names.
  const end = field.max === 7 && last < first ? last + 7 : last
  if (end < first) throw invalid(given, `The range ${item} of the ${field.name} ends before it begins.`)
  return listRange(first, end, step)
}

function readRange(item: string, field: Field): [first: number, last: number, step: number] | undefined {
  const [, star, from = '', to, step] = ITEM.exec(item) ?? []
  const first = star ? field.min : readValue(from, field)
  // A value with a step begins a range to the end: 5/15.
  const end = star || (step !== undefined && to === undefined) ? Math.min(field.max, field.max === 7 ? 6 : 59) : first
  const last = to === undefined ? end : readValue(to, field)
  return first === undefined || last === undefined || step === '0' ? undefined : [first, last, Number(step ?? 1)]
}

function listRange(first: number, last: number, step: number): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)
}

function readValue(text: string, { min, max, names }: Field): number | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= min && Number(text) <= max ? Number(text) : undefined
  const index = names?.findIndex(name => [name.toUpperCase(), name.slice(0, 3).toUpperCase()].includes(text)) ?? -1
  return index < 0 ? undefined : index + min
}

function describe({ min, max, names, name }: Field): string {
  const words = names && ` or ${names[0]!.slice(0, 3).toUpperCase()} to ${names.at(-1)!.slice(0, 3).toUpperCase()}`
  const special = name === 'day of month' ? ', L, L-3 or 15W' : name === 'day of week' ? ', 5L or 5#2' : ''
  return `${min} to ${max}${words ?? ''}, in lists, ranges (1-5) and steps (*/2)${special}`
}

function invalid(given: string, reason: string): Problem {
  return new Problem('CRON_INVALID', { field: 'cron', given, reason })
}
