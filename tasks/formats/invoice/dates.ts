interface FoundDate {
  /** As ISO 8601. */
  value: string
  raw: string
  /** Day and month could be the other way round. */
  isAmbiguous: boolean
}

const MONTHS = [
  ['jan', 'january', 'januar', 'janvier', 'enero', 'gennaio', 'janeiro', 'januari', 'jänner', 'ene', 'janv', 'gen'],
  ['feb', 'february', 'februar', 'février', 'febrero', 'febbraio', 'fevereiro', 'februari', 'févr', 'fév', 'fev'],
  ['mar', 'march', 'märz', 'mars', 'marzo', 'março', 'maart', 'mrz', 'mär', 'mrt'],
  ['apr', 'april', 'avril', 'abril', 'aprile', 'avr', 'abr'],
  ['may', 'mai', 'mayo', 'maggio', 'maio', 'mei', 'mag'],
  ['jun', 'june', 'juni', 'juin', 'junio', 'giugno', 'junho', 'giu'],
  ['jul', 'july', 'juli', 'juillet', 'julio', 'luglio', 'julho', 'juil', 'lug'],
  ['aug', 'august', 'août', 'agosto', 'augustus', 'ago', 'aou'],
  ['sep', 'september', 'septembre', 'septiembre', 'settembre', 'setembro', 'sept', 'set'],
  ['oct', 'october', 'oktober', 'octobre', 'octubre', 'ottobre', 'outubro', 'okt', 'ott', 'out'],
  ['nov', 'november', 'novembre', 'noviembre', 'novembro'],
  ['dec', 'december', 'dezember', 'décembre', 'diciembre', 'dicembre', 'dezembro', 'dez', 'déc', 'dic'],
]
const MONTH_BY_NAME = new Map(MONTHS.flatMap((names, index) => names.map(name => [name, index + 1] as const)))

const ISO = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/
const NUMERIC = /(?<!\d)(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d{2})(?!\d)/
const DAY_FIRST =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.)?[ -](?:de |of )?(\p{L}{3,10})\.?,?[ -](?:de |del )?(\d{4}|\d{2})(?!\d)/u
const MONTH_FIRST = /(?<!\p{L})(\p{L}{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?!\d)/u

/** The first date of a text. `isMonthFirst` decides where day and month could be either. */
export function findDate(text: string, isMonthFirst: boolean): FoundDate | undefined {
  return findIso(text) ?? findNumeric(text, isMonthFirst) ?? findNamed(text)
}

function findIso(text: string): FoundDate | undefined {
  const match = ISO.exec(text)
  return match ? build(match[0], match[1]!, match[2]!, match[3]!) : undefined
}

function findNumeric(text: string, isMonthFirst: boolean): FoundDate | undefined {
  const match = NUMERIC.exec(text)
  if (!match) return undefined
  const [raw, one, mark, other, year] = match as unknown as [string, string, string, string, string]
  // A dot is never between a month and its day.
  const isAmbiguous = mark !== '.' && Number(one) <= 12 && Number(other) <= 12 && one !== other
  const monthFirst = Number(other) > 12 || (isMonthFirst && isAmbiguous)
  const date = monthFirst ? build(raw, year, one, other) : build(raw, year, other, one)
  return date && { ...date, isAmbiguous }
}

function findNamed(text: string): FoundDate | undefined {
  const day = DAY_FIRST.exec(text)
  const dayMonth = day && MONTH_BY_NAME.get(day[2]!.toLowerCase())
  if (day && dayMonth) return build(day[0], day[3]!, String(dayMonth), day[1]!)
  const month = MONTH_FIRST.exec(text)
  const number = month && MONTH_BY_NAME.get(month[1]!.toLowerCase())
  return month && number ? build(month[0], month[3]!, String(number), month[2]!) : undefined
}

function build(raw: string, year: string, month: string, day: string): FoundDate | undefined {
  const value = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const date = new Date(`${value}T00:00:00Z`)
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
  return isReal ? { value, raw: raw.trim(), isAmbiguous: false } : undefined
}
