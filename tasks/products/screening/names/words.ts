import { ABJAD_MARK } from './abjads.ts'
import { romaniseWord } from './romanise.ts'

/** The legal form of a company stands for all forms of its kind. */
const FORM_MARK = '+'

const MAX_WORDS = 12

const TITLES = words(
  'mr mrs ms miss dr prof professor sir dame lord lady sheikh shaykh sheik shaikh haji hajji hajj mullah maulawi mawlawi molvi ' +
    'maulana mawlana ayatollah sayyid seyed general gen colonel col major maj captain capt lieutenant lt brigadier admiral marshal ' +
    'president minister senator hon his her excellency king prince princess jr sr ii iii iv esq phd',
)
const PARTICLES = words(
  'al el ul ad as ash at az ar an bin ibn ben bint binti ould wuld van von der den de del della di da do dos das du la le les los las ' +
    'of the and for und et zu ter ten af av',
)
const LIMITED = words(
  'llc ltd limited ooo gmbh sarl srl bv sro doo pte pty pvt private sdn bhd fze fzco fzc llp lp kg ug eood ltda sp zoo ua too tov',
)
const STOCK = words(
  'ao pao oao zao pjsc jsc ojsc cjsc sa ag spa nv plc asa ab oyj inc incorporated corp corporation co company kk tas as ad sal psc',
)
const LONG_FORMS: readonly [RegExp, string][] = [
  [/\blimited liability (company|partnership)\b/g, ' llc '],
  [/\b(open |closed |public |private )?joint[- ]stock company\b/g, ' jsc '],
  [/общество с ограниченной ответственностью/g, ' ооо '],
  [/(публичное |открытое |закрытое )?акционерное общество/g, ' ао '],
  [/有限(责任)?公司|有限公司/g, ' llc '],
  [/株式会社|주식회사/g, ' kk '],
]

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** `weight` is how much a word says of a name; that of a plain word depends on how common it is. */
export type WordKind = 'plain' | 'initial' | 'particle' | 'form' | 'number'

export function kindOf(word: string): WordKind {
  if (word.startsWith(FORM_MARK)) return 'form'
  if (PARTICLES.has(word)) return 'particle'
  if (/^\d+$/.test(word)) return 'number'
  return word.length === 1 && /[a-z]/.test(word) ? 'initial' : 'plain'
}

/** The words of a name in Latin letters, without titles, with legal forms as their class. At most twelve. */
export function splitName(name: string): string[] {
  const text = LONG_FORMS.reduce((left, [form, short]) => left.replace(form, short), fold(name))
  const all = (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap(romaniseWord).filter(word => word !== '')
  const joined = joinServants(all)
  const named = joined.filter(word => !TITLES.has(word))
  const kept = named.some(word => kindOf(classify(word)) === 'plain') ? named : joined
  return kept.slice(0, MAX_WORDS).map(classify)
}

/** Apostrophes belong to their word; letters with points between them are one word where that is a legal form. */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’‘ʻʼʿʾ`´"“”]/gu, '')
    .replace(/(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}/gu, letters => {
      const joined = letters.replace(/[.\s]/g, '')
      return `${LIMITED.has(joined) || STOCK.has(joined) ? joined : letters.replaceAll('.', '. ')} `
    })
}

/** `Abd al Rahman` is `Abdal Rahman`, whatever the article is called. */
function joinServants(all: readonly string[]): string[] {
  return all.flatMap((word, index) => {
    const isServant = word === 'abd' || word === `${ABJAD_MARK}abd`
    if (isServant && /^[aeu]l$/.test(all[index + 1] ?? '')) return ['abdal']
    return /^[aeu]l$/.test(word) && /^~?abd$/.test(all[index - 1] ?? '') ? [] : [word]
  })
}

function classify(word: string): string {
  if (LIMITED.has(word)) return `${FORM_MARK}limited`
  return STOCK.has(word) ? `${FORM_MARK}stock` : word
}

/** Two words as one, as other lists write them. */
export function joinWords(one: string, other: string): string {
  const joined = (one + other).replaceAll(ABJAD_MARK, '')
  return one.startsWith(ABJAD_MARK) || other.startsWith(ABJAD_MARK) ? ABJAD_MARK + joined : joined
}
