import type { Tools, Warning } from '#kit'
import type { Edit } from './edit.ts'
import { describeUnknown, findWords } from './unknown-words.ts'

interface LookUp {
  language: string | undefined
  /** The language with its country, such as `de-AT`. */
  locale: string | undefined
  dictionaries: { folder: string; names: readonly string[] } | undefined
  speller: Tools['speller']
}

interface LookedUp {
  edits: Edit[]
  /** The dictionary in which words were looked up. */
  dictionary?: string | undefined
  /** It does not know most of them. */
  isOther?: boolean
}

/** Countries whose spelling is taken where the caller names none. */
const PREFERRED = ['en_US', 'de_DE', 'fr_FR', 'es_ES', 'pt_PT', 'it_IT', 'nl_NL']

/** The words that are in no dictionary, if there is one of the language. */
export async function lookUp(text: string, { language, locale, dictionaries, speller }: LookUp): Promise<LookedUp> {
  const name = dictionaries && language && chooseDictionary(dictionaries.names, language, locale)
  if (!name) return { edits: [] }
  const words = findWords(text, language)
  const distinct = [...new Set(words.map(({ word }) => word))]
  const unknown = await speller.findUnknown(distinct, { folder: dictionaries.folder, name })
  const edits = describeUnknown(words, new Map(unknown.map(({ word, suggestions }) => [word, suggestions])))
  return edits ? { edits, dictionary: name } : { edits: [], dictionary: name, isOther: true }
}

function chooseDictionary(names: readonly string[], language: string, locale = language): string | undefined {
  const wanted = locale.replaceAll('-', '_').toLowerCase()
  const ofLanguage = names.filter(name => name.toLowerCase().split(/[_-]/)[0] === language)
  return (
    ofLanguage.find(name => name.toLowerCase() === wanted) ??
    ofLanguage.find(name => PREFERRED.includes(name)) ??
    ofLanguage[0]
  )
}

/** What the caller should know of how far the text was looked at. */
export function describeLimits(language: string | undefined, { dictionary, isOther }: LookedUp): Warning[] {
  const other = {
    code: 'DICTIONARY_UNSUITABLE',
    message: `Most words are not in the dictionary ${dictionary}, so none was taken for a mistake. Name the language if it is another.`,
  }
  const what = dictionary && !isOther ? 'spelling, repeated words' : 'repeated words'
  const limited = {
    code: 'LANGUAGE_LIMITED',
    message: `Only ${what}, spaces and brackets were looked at: the other rules are for English.`,
  }
  return [...(isOther ? [other] : []), ...(language === 'en' ? [] : [limited])]
}
