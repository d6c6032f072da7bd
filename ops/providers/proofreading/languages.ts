/** Spelling is known of a language as it is written somewhere: this one, unless the caller names another. */
const VARIANTS: Readonly<Record<string, string>> = {
  ca: 'ca-ES',
  de: 'de-DE',
  en: 'en-US',
  pt: 'pt-PT',
}

export const PREFERRED_VARIANTS = Object.values(VARIANTS).join(',')

/** As LanguageTool names it. */
export function nameLanguage(language: string | undefined): string {
  return language === undefined ? 'auto' : (VARIANTS[language.toLowerCase()] ?? language)
}
