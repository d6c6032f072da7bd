/** The scripts of India have their letters at the same places of their blocks. */
const FIRST = 0x0900
const BLOCK = 0x80
const BLOCKS = 9

const CONSONANTS = 'k kh g gh ng ch chh j jh ny t th d dh n t th d dh n n p ph b bh m y r r l l l v sh sh s h'.split(
  ' ',
)
const VOWELS = 'a a i i u u ri li e e e ai o o o au'.split(' ')
const SIGNS = 'a i i u u ri ri e e e ai o o o au'.split(' ')
const VIRAMA = 0x4d

/** A word of one of those scripts in Latin letters. The last short vowel is not spoken, and not written. */
export function romaniseIndic(word: string): string {
  let latin = ''
  let isOpen = false
  for (const letter of word) {
    const at = (letter.codePointAt(0)! - FIRST) % BLOCK
    const [kind, sound] = readLetter(at)
    if (isOpen && kind !== 'sign' && kind !== 'silent') latin += 'a'
    latin += sound
    isOpen = kind === 'consonant'
  }
  return latin
}

function readLetter(at: number): ['consonant' | 'vowel' | 'sign' | 'silent' | 'other', string] {
  if (at >= 0x15 && at <= 0x39) return ['consonant', CONSONANTS[at - 0x15] ?? '']
  if (at >= 0x05 && at <= 0x14) return ['vowel', VOWELS[at - 0x05]!]
  if (at >= 0x3e && at <= 0x4c) return ['sign', SIGNS[at - 0x3e]!]
  if (at === VIRAMA) return ['silent', '']
  if (at === 0x01 || at === 0x02) return ['other', 'n']
  return ['silent', '']
}

export function isIndic(letter: string): boolean {
  const code = letter.codePointAt(0)!
  return code >= FIRST && code < FIRST + BLOCK * BLOCKS
}
