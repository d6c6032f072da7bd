import type { Work } from '../../work.ts'
import { type LongTable, rowsByColumn } from './long-tables.ts'

const SAMPLE_ROWS = 1000
/** The share of the values that must have the form. */
const THRESHOLD = 0.9

const COUNTRIES = new Set(
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'.split(
    ' ',
  ),
)
const CURRENCIES = new Set(
  'AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PEN PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR'.split(
    ' ',
  ),
)

const KINDS: [semantic: string, fits: (text: string) => boolean][] = [
  ['email', text => /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text)],
  ['url', text => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)],
  ['uuid', text => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)],
  [
    'ip',
    text =>
      /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(text) ||
      /^(?=.*:)[0-9a-f:]{3,39}$/i.test(text),
  ],
  ['iban', isIban],
  ['credit-card', isCard],
  ['date', text => /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})$/.test(text)],
  [
    'phone',
    text => /^\+?[\d ()./-]{7,20}$/.test(text) && text.replace(/\D/g, '').length >= 7 && /^(?:\+|0|\()/.test(text),
  ],
  ['currency', text => CURRENCIES.has(text)],
  ['country', text => COUNTRIES.has(text)],
]

/** What the values of columns of text mean, each judged by its first values. */
export async function findSemantics(work: Work, part: LongTable): Promise<(string | undefined)[]> {
  const found = await rowsByColumn<{ texts: string[] }>(
    work,
    part,
    `SELECT k, arg_min(left(trim(t), 500), place, ${SAMPLE_ROWS}) AS texts FROM (SELECT k, t, row_number() OVER () AS place FROM ${part.as}) WHERE trim(t) <> '' GROUP BY k`,
  )
  return found.map(([facts]) => (facts ? findSemantic(facts.texts) : undefined))
}

function findSemantic(texts: readonly string[]): string | undefined {
  return KINDS.find(([, fits]) => texts.filter(fits).length >= texts.length * THRESHOLD)?.[0]
}

function isIban(text: string): boolean {
  const plain = text.replaceAll(' ', '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain)) return false
  const digits = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, letter => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}

function isCard(text: string): boolean {
  const digits = text.replace(/[ -]/g, '')
  if (!/^\d{13,19}$/.test(digits)) return false
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10 === 0
}
