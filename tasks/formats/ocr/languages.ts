import { Problem } from '#kit'

/** Tesseract's language codes by ISO 639-1 code or BCP 47 tag. */
const TESSERACT_CODES: Record<string, string> = {
  ar: 'ara',
  bg: 'bul',
  ca: 'cat',
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  et: 'est',
  fa: 'fas',
  fi: 'fin',
  fr: 'fra',
  he: 'heb',
  hi: 'hin',
  hr: 'hrv',
  hu: 'hun',
  id: 'ind',
  it: 'ita',
  ja: 'jpn',
  ko: 'kor',
  lt: 'lit',
  lv: 'lav',
  nb: 'nor',
  nl: 'nld',
  no: 'nor',
  pl: 'pol',
  pt: 'por',
  ro: 'ron',
  ru: 'rus',
  sk: 'slk',
  sl: 'slv',
  sr: 'srp',
  sv: 'swe',
  th: 'tha',
  tr: 'tur',
  uk: 'ukr',
  vi: 'vie',
  zh: 'chi_sim',
  'zh-hant': 'chi_tra',
  'zh-hk': 'chi_tra',
  'zh-tw': 'chi_tra',
}

/** Accepts `de`, `de-AT` and `deu` for the same language; an unknown one is rejected with the available ones. */
export function resolveLanguages(requested: readonly string[], installed: readonly string[]): string[] {
  const available = installed.filter(name => name !== 'osd')
  const resolved = requested.map(language => {
    const tag = language.toLowerCase().replaceAll('_', '-')
    const candidates = [
      language,
      TESSERACT_CODES[tag.split('-').slice(0, 2).join('-')],
      TESSERACT_CODES[tag.split('-')[0]!],
    ]
    const name = candidates.find(candidate => candidate !== undefined && available.includes(candidate))
    if (name === undefined) throw new Problem('LANGUAGE_UNSUPPORTED', { language, available })
    return name
  })
  return [...new Set(resolved)]
}

/** Each language as providers name it (BCP 47); nothing for the default, as it says nothing about the page. */
export function listLanguageHints(requested: readonly string[]): string[] {
  if (requested.length === 1 && requested[0] === 'eng') return []
  const tags = requested.map(language => {
    const [tag] = Object.entries(TESSERACT_CODES).find(([, code]) => code === language.toLowerCase()) ?? []
    return tag ?? language.replaceAll('_', '-')
  })
  return [...new Set(tags)]
}
