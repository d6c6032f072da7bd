import { foldName } from './fold.ts'

const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'.split(
    ' ',
  )

/** Names in common use that the locale data does not have. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ usa: 'US', 'united states of america': 'US', america: 'US', uk: 'GB', 'great britain': 'GB', england: 'GB' },
  ...{ scotland: 'GB', wales: 'GB', 'northern ireland': 'GB', holland: 'NL', uae: 'AE', 'czech republic': 'CZ' },
  ...{ turkey: 'TR', burma: 'MM', swaziland: 'SZ', 'ivory coast': 'CI', 'cape verde': 'CV', 'south korea': 'KR' },
  ...{ 'north korea': 'KP', russia: 'RU', macedonia: 'MK', 'east timor': 'TL', vatican: 'VA', prc: 'CN' },
}

/** Callers choose the language, so the memory of it is bounded. */
const MAX_LANGUAGES = 60
const byLanguage = new Map<string, ReadonlyMap<string, string>>()

/** The code of a country by its name in English or in the given language, or by its code; undefined if it is none. */
export function findCountry(text: string, language = 'en'): string | undefined {
  const upper = text.trim().toUpperCase()
  if (CODES.includes(upper)) return upper
  const folded = foldName(text)
  return OTHER_NAMES[folded] ?? namesOf('en').get(folded) ?? namesOf(language).get(folded)
}

export function countryName(code: string, language = 'en'): string {
  return displayNames(language).of(code) ?? code
}

function namesOf(language: string): ReadonlyMap<string, string> {
  const known = byLanguage.get(language)
  if (known) return known
  const names = displayNames(language)
  const map = new Map(CODES.map(code => [foldName(names.of(code) ?? code), code]))
  if (byLanguage.size >= MAX_LANGUAGES) byLanguage.clear()
  byLanguage.set(language, map)
  return map
}

function displayNames(language: string): Intl.DisplayNames {
  try {
    return new Intl.DisplayNames([language, 'en'], { type: 'region' })
  } catch {
    return new Intl.DisplayNames(['en'], { type: 'region' })
  }
}
