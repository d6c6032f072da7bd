import { DEGREES, NEGATIONS, STRENGTHS } from './sentiment-words.ts'
import { LISTED_LANGUAGES, stopWordsOf } from './stop-words.ts'
import { listWords } from './words.ts'

/** What reviews say most often, where it is no word of English. They do not rate a text, but tell its language. */
const OPINIONS: Record<string, string> = {
  de: 'schrecklich furchtbar wunderbar ausgezeichnet hervorragend schlecht schlechte schlechter enttäuscht enttäuschend toll tolle großartig zufrieden unzufrieden empfehlenswert liebe hasse schön prima mies miserabel begeistert',
  fr: "merveilleux merveilleuse excellente adore j'adore l'adore aime j'aime déteste génial géniale magnifique affreux affreuse nul nulle mauvais mauvaise déçu déçue décevant parfaite bien qualité ravi ravie dommage",
  es: 'excelente maravilloso maravillosa encanta encantó gusta gustó bueno buena malo mala pésimo pésima horroroso calidad genial odio decepcionante decepcionado perfecto perfecta estupendo fantástico recomiendo feliz',
  it: 'eccellente meraviglioso meravigliosa ottimo ottima pessimo pessima adoro piace piaciuto bello bella brutto brutta terribile orribile odio delusione deluso delusa perfetto perfetta qualità consiglio fantastico',
  pt: 'excelente maravilhoso maravilhosa ótimo ótima péssimo péssima adoro adorei gostei gosto bom boa ruim mau má horrível terrível odeio odiei qualidade recomendo perfeito perfeita decepcionado decepcionante',
  nl: 'uitstekend geweldig prachtig verschrikkelijk vreselijk slecht slechte teleurgesteld teleurstellend mooi lekker tevreden aanrader waardeloos heerlijk',
}
const WEIGHTS = { opinion: 3, small: 1, accent: 1 }
const LEAST_EVIDENCE = 3
const ACCENT = /[\u00DF-\u017F]/
const UNKNOWN = 'und'

const opinions = new Map(Object.entries(OPINIONS).map(([language, words]) => [language, new Set(words.split(' '))]))

/** The language of a text that surely is not English, although it is too short to be guessed by its small words alone. */
export function findOtherLanguage(text: string): string | undefined {
  const words = [...new Set(listWords(text).map(({ text: word }) => word.replaceAll('’', "'")))]
  const accent = words.some(word => ACCENT.test(word)) ? WEIGHTS.accent : 0
  const [best] = LISTED_LANGUAGES.filter(language => language !== 'en')
    .map(language => ({ language, weight: weigh(words, language) }))
    .sort((one, other) => other.weight - one.weight)
  if (isOtherScript(text)) return best!.weight > 0 ? best!.language : UNKNOWN
  const isSure = best!.weight > 0 && best!.weight + accent >= LEAST_EVIDENCE
  return isSure ? best!.language : undefined
}

/** Nothing if a word of the text is English and not one of the other language as well. */
function weigh(words: readonly string[], language: (typeof LISTED_LANGUAGES)[number]): number {
  const small = stopWordsOf(language)
  const own = opinions.get(language)
  if (words.some(word => isEnglish(word) && !small.has(word) && !own?.has(word))) return 0
  return words
    .filter(word => !isEnglish(word))
    .reduce((sum, word) => sum + (own?.has(word) ? WEIGHTS.opinion : small.has(word) ? WEIGHTS.small : 0), 0)
}

function isEnglish(word: string): boolean {
  return [stopWordsOf('en'), STRENGTHS, NEGATIONS, DEGREES].some(known => known.has(word))
}

function isOtherScript(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{sc=Latin}/gu)?.length ?? 0
  return letters > 0 && latin < letters / 2
}
