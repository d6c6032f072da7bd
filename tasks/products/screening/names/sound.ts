import { ABJAD_MARK } from './abjads.ts'

/** Spellings of one sound, in the order in which they are replaced. Capitals stand for sounds that take several letters. */
const SPELLINGS: readonly [RegExp, string][] = [
  [/schtsch|chtch|shch/g, 'S'],
  [/tsch|tch/g, 'C'],
  [/sch|sh|sz/g, 'S'],
  [/dzh|dj/g, 'j'],
  [/ch|cz/g, 'C'],
  [/zh/g, 'Z'],
  [/ph/g, 'f'],
  [/kh/g, 'h'],
  [/gh/g, 'g'],
  [/th/g, 't'],
  [/dh/g, 'd'],
  [/ck|q/g, 'k'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/ts|tz/g, 'c'],
  [/x/g, 'ks'],
  [/w/g, 'v'],
  [/ou|oo/g, 'u'],
  [/ee/g, 'i'],
  [/y/g, 'i'],
  [/(i)(?:[ij])+$/g, '$1'],
  [/ij(?=$|[^aeiou])/g, 'i'],
  [/([aeiou])h(?=$|[^aeiou])/g, '$1'],
  [/(.)\1+/g, '$1'],
]

const sounds = new Map<string, string>()
const MAX_KEPT = 20_000

/** A word as it is heard, without the differences that spelling makes. */
export function spellSound(word: string): string {
  const known = sounds.get(word)
  if (known !== undefined) return known
  if (sounds.size >= MAX_KEPT) sounds.clear()
  const sound = writeSound(word)
  sounds.set(word, sound)
  return sound
}

function writeSound(word: string): string {
  const bare = word.replace(ABJAD_MARK, '')
  if (!/^[a-z]+$/.test(bare)) return bare
  return SPELLINGS.reduce((sound, [from, to]) => sound.replace(from, to), bare)
}

/** Its consonants; the first letter is kept as `A` if it is a vowel. */
function spellConsonants(sound: string): string {
  return sound.replace(/^[aeiou]+/, 'A').replace(/[aeiou]/g, '')
}

/** Each is found with one letter more, one less or another one, because both sides leave every letter out once. */
function* leaveOneOut(text: string): Generator<string> {
  for (let at = 0; at < text.length; at++) yield text.slice(0, at) + text.slice(at + 1)
}

const MAX_LENGTH = 24
const hashes = new Map<string, readonly number[]>()

/** Numbers by which words that sound or are spelt alike find each other: those of which they share at least one. */
export function listKeys(word: string): readonly number[] {
  const known = hashes.get(word)
  if (known) return known
  if (hashes.size >= MAX_KEPT) hashes.clear()
  const keys = [...new Set(listKeyTexts(word))].map(hash)
  hashes.set(word, keys)
  return keys
}

function* listKeyTexts(word: string): Generator<string> {
  const sound = spellSound(word).slice(0, MAX_LENGTH)
  yield `t${sound}`
  if (!/^[a-zA-Z]+$/.test(sound)) return
  const consonants = spellConsonants(sound)
  yield `c${consonants}`
  if (sound.length >= 4) for (const part of leaveOneOut(sound)) yield `t${part}`
  if (consonants.length >= 4) for (const part of leaveOneOut(consonants)) yield `c${part}`
}

/** FNV-1a as a signed 32-bit number. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value | 0
}
