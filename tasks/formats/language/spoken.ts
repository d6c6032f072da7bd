/** What the models of Whisper know, as ISO 639-1. */
export const SPOKEN_LANGUAGES = [
  ...['af', 'am', 'ar', 'as', 'az', 'ba', 'be', 'bg', 'bn', 'bo', 'br', 'bs', 'ca', 'cs', 'cy', 'da', 'de', 'el', 'en'],
  ...['es', 'et', 'eu', 'fa', 'fi', 'fo', 'fr', 'gl', 'gu', 'ha', 'he', 'hi', 'hr', 'ht', 'hu', 'hy', 'id', 'is', 'it'],
  ...['ja', 'ka', 'kk', 'km', 'kn', 'ko', 'la', 'lb', 'ln', 'lo', 'lt', 'lv', 'mg', 'mi', 'mk', 'ml', 'mn', 'mr', 'ms'],
  ...['mt', 'my', 'ne', 'nl', 'nn', 'no', 'oc', 'pa', 'pl', 'ps', 'pt', 'ro', 'ru', 'sa', 'sd', 'si', 'sk', 'sl', 'sn'],
  ...['so', 'sq', 'sr', 'su', 'sv', 'sw', 'ta', 'te', 'tg', 'th', 'tk', 'tl', 'tr', 'tt', 'uk', 'ur', 'uz', 'vi', 'yi'],
  ...['yo', 'zh'],
]

/** Names that differ from those of the Unicode consortium. */
const OTHER_NAMES: Record<string, string> = { myanmar: 'my', nynorsk: 'nn', tagalog: 'tl', maori: 'mi' }

const NAMES = new Intl.DisplayNames('en', { type: 'language' })
const CODES = new Map(SPOKEN_LANGUAGES.map(code => [NAMES.of(code)!.toLowerCase(), code]))

/** The code of a language that a provider names by its code or in English. */
export function findSpokenLanguage(name: string): string | undefined {
  const plain = name.trim().toLowerCase()
  if (SPOKEN_LANGUAGES.includes(plain)) return plain
  return OTHER_NAMES[plain] ?? CODES.get(plain)
}
