const INITIALS = 'g kk n d tt r m b pp s ss - j jj ch k t p h'.split(' ').map(blank)
const VOWELS = 'a ae ya yae o e yo ye o wa wae oe yo u wo we wi yu u ui i'.split(' ')
const FINALS = '- k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ').map(blank)
const FIRST_SYLLABLE = 0xac00
const LAST_SYLLABLE = 0xd7a3

function blank(sound: string): string {
  return sound === '-' ? '' : sound
}

/** The surnames whose usual spelling does not follow from their letters. */
const SURNAMES: Readonly<Record<string, string>> = {
  ...{
    김: 'kim',
    이: 'lee',
    박: 'park',
    최: 'choi',
    강: 'kang',
    조: 'cho',
    임: 'lim',
    오: 'oh',
    권: 'kwon',
    유: 'yoo',
  },
  ...{ 노: 'roh', 로: 'ro', 리: 'ri', 고: 'ko', 구: 'koo', 문: 'moon', 신: 'shin', 백: 'paek', 우: 'woo', 길: 'kil' },
}

/** A Korean word in Latin letters. A name of a person written in one is its surname and its given name. */
export function romaniseHangul(word: string): string[] {
  const syllables = [...word]
  const isName = syllables.length >= 2 && syllables.length <= 4
  if (!isName) return [syllables.map(readSyllable).join('')]
  const [first, ...given] = syllables
  return [SURNAMES[first!] ?? readSyllable(first!), given.map(readSyllable).join('')]
}

function readSyllable(syllable: string): string {
  const code = syllable.codePointAt(0)!
  if (code < FIRST_SYLLABLE || code > LAST_SYLLABLE) return ''
  const at = code - FIRST_SYLLABLE
  return INITIALS[Math.floor(at / 588)]! + VOWELS[Math.floor((at % 588) / 28)]! + FINALS[at % 28]!
}

const KANA_ROWS: readonly [string, string][] = [
  ['あいうえお', 'a i u e o'],
  ['かきくけこ', 'ka ki ku ke ko'],
  ['がぎぐげご', 'ga gi gu ge go'],
  ['さしすせそ', 'sa shi su se so'],
  ['ざじずぜぞ', 'za ji zu ze zo'],
  ['たちつてと', 'ta chi tsu te to'],
  ['だぢづでど', 'da ji zu de do'],
  ['なにぬねの', 'na ni nu ne no'],
  ['はひふへほ', 'ha hi fu he ho'],
  ['ばびぶべぼ', 'ba bi bu be bo'],
  ['ぱぴぷぺぽ', 'pa pi pu pe po'],
  ['まみむめも', 'ma mi mu me mo'],
  ['やゆよゔん', 'ya yu yo vu n'],
  ['らりるれろ', 'ra ri ru re ro'],
  ['わゐゑを', 'wa i e o'],
  ['ぁぃぅぇぉ', 'a i u e o'],
]
const KANA = new Map(
  KANA_ROWS.flatMap(([letters, latin]) => [...letters].map((letter, index) => [letter, latin.split(' ')[index]!])),
)
const SMALL: Readonly<Record<string, string>> = { ゃ: 'a', ゅ: 'u', ょ: 'o' }
const VOWEL_ROWS: Readonly<Record<string, string>> = { ァ: 'a', ィ: 'i', ゥ: 'u', ェ: 'e', ォ: 'o' }

/** A word of hiragana or katakana in Latin letters. */
export function romaniseKana(word: string): string {
  let latin = ''
  let isDoubled = false
  for (const letter of toHiragana(word)) {
    if (letter === 'っ') isDoubled = true
    else if (letter in SMALL) latin = joinSmall(latin, SMALL[letter]!)
    else {
      const sound = KANA.get(letter) ?? VOWEL_ROWS[letter] ?? ''
      latin += isDoubled ? sound.slice(0, 1) + sound : sound
      isDoubled = false
    }
  }
  return latin
}

/** `shi` and a small `ya` are `sha`, `ki` and a small `ya` are `kya`. */
function joinSmall(latin: string, vowel: string): string {
  const stem = latin.replace(/i$/, '')
  return /(sh|ch|j)$/.test(stem) ? stem + vowel : `${stem}y${vowel}`
}

function toHiragana(word: string): string {
  return word.replace(/[\u30a1-\u30f6]/g, letter => String.fromCharCode(letter.charCodeAt(0) - 0x60))
}
