import { LANGUAGES, type Language } from '../../../../tasks/products/esigndoc/terms.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'

const TEXTS: Record<Language, Texts> = { en, de, fr, es }

export function textsOf(language: Language): Texts {
  return TEXTS[language]
}

const NAMES = new Set<string>(LANGUAGES)

function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && NAMES.has(text)
}

/** The language of a page: as it is asked for there, as the sender has set it, or as the browser wants it. */
export function chooseLanguage(
  asked: string | undefined,
  set: string | undefined,
  accepted: string | undefined,
): Language {
  if (isLanguage(asked)) return asked
  if (isLanguage(set)) return set
  const wanted = (accepted ?? '').split(',').map(part => {
    const [tag = '', weight = 'q=1'] = part.trim().split(';')
    return { language: tag.slice(0, 2).toLowerCase(), weight: Number(weight.trim().slice(2)) || 0 }
  })
  const [best] = wanted.filter(({ language }) => isLanguage(language)).sort((one, other) => other.weight - one.weight)
  return (best?.language as Language | undefined) ?? 'en'
}

/** Puts values in place of the names in braces. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ''))
}
