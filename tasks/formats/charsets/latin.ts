/** The letters beyond ASCII of languages in Latin script, the commonest of each first. */
const WESTERN: Record<string, string> = {
  German: 'üäößéà',
  French: 'éèàêçôâîùûïëœü',
  Spanish: 'óíáéñúü',
  Portuguese: 'ãçáéíóêõâúàôü',
  Italian: 'èàùòéìí',
  Catalan: 'àéóíèòçïúü',
  Dutch: 'ëéïóöüè',
  Scandinavian: 'øåæéüö',
  Swedish: 'äåöéüà',
  Finnish: 'äöåšž',
  Estonian: 'äõüöšž',
  Icelandic: 'íáðóéöþúæý',
}
const CENTRAL: Record<string, string> = {
  Polish: 'łóążęśćńź',
  Czech: 'íáéěšřčžýůúóťňďü',
  Slovak: 'áíčéžýšúľťôňäóďŕĺ',
  Hungarian: 'áéóöőíüúű',
  Romanian: 'ăîâşţéü',
  Croatian: 'čšžćđüö',
  Slovene: 'čšžćđéü',
  any: 'áéíóčšžąęłőćńřěýůüöäśżúâăîźşţďťňđűľôëçĺŕ',
}
const TURKISH = { Turkish: 'ıüşğçöâîûé' }
const BALTIC = { Lithuanian: 'ėšųžįčąūę', Latvian: 'āīēšņūļčžķģ', Estonian: 'äõüöšž' }

/** Those of lists with names from many countries. */
const ANY_WESTERN = 'éüöäóáíèñçàåøãßêôâæëïúîõùûòìœýšžðþÿ'

/** What stands in texts beside letters. */
const PUNCTUATION = '’‘“”„‚…–—«»‹›•€£¥¢§©®™°±²³µ½¼¾×·¿¡ªº\u00a0\u00ad'

/** The other charsets of Latin letters have to explain a text better than Windows-1252, so that few letters do not decide. */
const HANDICAP = 4
const CANDIDATES: readonly [charset: string, languages: Record<string, string>, handicap: number][] = [
  ['windows-1252', { ...WESTERN, any: ANY_WESTERN }, 0],
  ['windows-1250', CENTRAL, HANDICAP],
  ['iso-8859-2', CENTRAL, HANDICAP],
  ['windows-1254', TURKISH, HANDICAP],
  ['windows-1257', BALTIC, HANDICAP],
  ['macintosh', { ...WESTERN, any: ANY_WESTERN }, HANDICAP],
]

const PUNCTUATION_COST = 0.7
const MISFIT_COST = 9

/**
 * The likeliest charset of a text in Latin letters that is not UTF-8: the one whose letters a language has as often. It is
 * exact if that language has all of them.
 */
export function guessLatinCharset(bytes: Uint8Array): { charset: string; isExact: boolean } {
  let best = { charset: 'windows-1252', isExact: false, cost: Number.POSITIVE_INFINITY }
  for (const [charset, languages, handicap] of CANDIDATES) {
    const counts = countForeign(new TextDecoder(charset).decode(bytes))
    for (const [language, letters] of Object.entries(languages)) {
      const cost = handicap + rateLetters(counts, letters)
      if (cost < best.cost) best = { charset, isExact: language !== 'any' && fitsWholly(counts, letters), cost }
    }
  }
  return best
}

function fitsWholly({ letters, misfits }: Counts, alphabet: string): boolean {
  return misfits === 0 && letters.size > 0 && [...letters.keys()].every(letter => alphabet.includes(letter))
}

interface Counts {
  letters: Map<string, number>
  punctuation: number
  /** What no text has there, such as a capital after a small letter or a sign within a word. */
  misfits: number
}

/** So many letters tell what there is to be told. */
const MAX_COUNTED = 5_000
const FOREIGN = /[^\p{ASCII}]/gu

function countForeign(text: string): Counts {
  const counts: Counts = { letters: new Map(), punctuation: 0, misfits: 0 }
  let counted = 0
  for (const { 0: character, index } of text.matchAll(FOREIGN)) {
    if (++counted > MAX_COUNTED) break
    const [before, after] = [text[index - 1] ?? ' ', text[index + 1] ?? ' ']
    if (!fitsBetween(before, character, after)) counts.misfits++
    else if (PUNCTUATION.includes(character)) counts.punctuation++
    else {
      const small = character.toLowerCase()
      counts.letters.set(small, (counts.letters.get(small) ?? 0) + 1)
    }
  }
  return counts
}

const isLetter = (character: string) => /\p{L}/u.test(character)
const isSmall = (character: string) => /\p{Ll}/u.test(character)
const WITHIN_WORDS = '’‘–—·…\u00a0\u00ad'
const NEVER_BEFORE_LETTERS = '©®™°'
const NEVER_BESIDE_LETTERS = '±¼½¾'

function fitsBetween(before: string, character: string, after: string): boolean {
  if (isLetter(character) && !'ªº'.includes(character)) return isSmall(character) ? true : !isSmall(before)
  if (!PUNCTUATION.includes(character)) return false
  if (NEVER_BEFORE_LETTERS.includes(character) && isLetter(after)) return false
  if (NEVER_BESIDE_LETTERS.includes(character)) return !isLetter(before) && !isLetter(after)
  return WITHIN_WORDS.includes(character) || !(isLetter(before) && isLetter(after))
}

/** The cost of a letter grows with its rank, as its frequency falls; see the law of Zipf. */
function rateLetters({ letters, punctuation, misfits }: Counts, alphabet: string): number {
  let cost = punctuation * PUNCTUATION_COST + misfits * MISFIT_COST
  const total = [...alphabet].reduce((sum, _, at) => sum + 1 / (at + 1), 0)
  for (const [letter, count] of letters) {
    const at = alphabet.indexOf(letter)
    cost += count * (at < 0 ? MISFIT_COST : Math.log(total * (at + 1)))
  }
  return cost
}
