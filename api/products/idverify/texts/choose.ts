import type { Locale } from '../schema.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'

const TEXTS: Record<Locale, Texts> = { en, de, fr, es }

export function chooseTexts(locale: string): Texts {
  return TEXTS[locale as Locale] ?? en
}

/** Puts values in place of the names in braces. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ''))
}
