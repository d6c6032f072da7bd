import { romaniseAbjad } from './abjads.ts'
import { ALPHABETS } from './alphabets.ts'
import { isIndic, romaniseIndic } from './indic.ts'
import { romaniseHan } from './pinyin.ts'
import { romaniseHangul, romaniseKana } from './syllables.ts'

/** The ways in which a run of letters is read, by the script of its first letter. */
const READERS: readonly [script: RegExp, read: (run: string) => string[]][] = [
  [/^[\p{Script=Arabic}\p{Script=Hebrew}]/u, romaniseAbjad],
  [/^\p{Script=Hangul}/u, romaniseHangul],
  [/^\p{Script=Han}/u, romaniseHan],
  [/^[\p{Script=Hiragana}\p{Script=Katakana}]/u, run => [romaniseKana(run)]],
]

const RUN =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Inherited}]+|\p{Script=Hangul}+|\p{Script=Han}+|[\p{Script=Hiragana}\p{Script=Katakana}ー]+|[^\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu

const PLAIN = /^[a-z0-9]+$/

/** One word of any script in small Latin letters; several where the script writes several words as one. */
export function romaniseWord(word: string): string[] {
  if (PLAIN.test(word)) return [word]
  const parts = (word.match(RUN) ?? []).flatMap(run => readRun(run))
  return parts.filter(part => part !== '' && part !== '~')
}

function readRun(run: string): string[] {
  const reader = READERS.find(([script]) => script.test(run))
  if (reader) return reader[1](run)
  if (isIndic(run)) return [romaniseIndic(run)]
  const letters = run.normalize('NFC').replace(/ο[υύ]/g, 'u')
  return [[...letters].map(readLetter).join('')]
}

/** Letters of scripts that are not read here stay as they are, and are found by the same letters. */
function readLetter(letter: string): string {
  const known = ALPHABETS.get(letter)
  if (known !== undefined) return known
  const bare = letter.normalize('NFD').replace(/\p{M}/gu, '')
  return ALPHABETS.get(bare) ?? bare
}
