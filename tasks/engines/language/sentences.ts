/** A sentence with its place in the text, in UTF-16 code units. */
export interface Sentence {
  /** With its line breaks as spaces. */
  text: string
  start: number
  end: number
  /** Of the paragraph that it is part of, counted from 0. */
  paragraph: number
  /** In its paragraph, counted from 0. */
  position: number
  /** A line of its own without an end, such as a heading or an entry of a list. */
  isFragment: boolean
}

/** Runs are bounded, because one of millions of characters would use up the stack of the engine of expressions. */
const BREAK =
  /(?<![.!?…])[.!?…]{1,999}["'”’»)\]]{0,99}(?=\s)|[。！？｡।॥։።፧؟۔။៕]{1,999}[」』”’）]{0,99}|\n[ \t]{0,999}\n\s{0,999}|\n(?=[ \t]{0,99}(?:[-*•–+]|\d{1,3}[.)])[ \t])|\n(?=[ \t]{0,99}[#|>])/gu
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof sr jr st vs etc inc ltd co corp gen col sgt capt lt rev hon pres gov sen rep no nos vol fig figs ' +
    'eq ch sec al approx dept est min max misc tel ext ave blvd rd jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'e.g i.e cf viz ca a.m p.m u.s u.k u.n ph.d z.b d.h bzw usw ggf vgl nr str hr fr p.ex av bd env sig sra ud uds pág ' +
    'art párr ecc pag sr sig dott'
  ).split(' '),
)
const SENTENCE_END = /[.!?…。！？｡।॥։።፧؟۔။៕]["'”’»)\]」』）]{0,99}$/u
const FENCE = /^(```|~~~)[^\n]{0,999}\n[\s\S]*?(?:^\1[ \t]*$|(?![\s\S]))/gm

/** Code blocks are no prose: they are blanked out, so that places stay what they are. */
function maskCodeBlocks(text: string): string {
  return text.includes('```') || text.includes('~~~')
    ? text.replace(FENCE, block => block.replace(/[^\n]/g, ' '))
    : text
}

/** What has no letter or number is no sentence, unless something else makes it one. */
export function splitSentences(source: string, meaning = /[\p{L}\p{N}]/u): Sentence[] {
  const text = maskCodeBlocks(source)
  const sentences: Sentence[] = []
  let [start, paragraph, position] = [0, 0, 0]
  const add = (end: number): void => {
    const sentence = trim(text, start, end, meaning)
    start = end
    if (sentence) sentences.push({ ...sentence, paragraph, position: position++ })
  }
  for (const { 0: found, index } of text.matchAll(BREAK)) {
    const isLineBreak = found.startsWith('\n')
    if (!isLineBreak && !endsSentence(text, index, found)) continue
    add(isLineBreak ? index : index + found.length)
    if (!isLineBreak) continue
    paragraph += 1
    position = 0
  }
  add(text.length)
  return sentences
}

/** Marks of lists, quotes and headings are not part of a sentence. */
const MARKS = /^(?:[-*•–+>]|\d{1,3}[.)]|#{1,6})\s{1,999}/

function trim(
  text: string,
  from: number,
  to: number,
  meaning: RegExp,
): Omit<Sentence, 'paragraph' | 'position'> | undefined {
  const raw = text.slice(from, to)
  const leading = raw.length - raw.trimStart().length
  const marks = MARKS.exec(raw.trimStart())?.[0].length ?? 0
  const start = from + leading + marks
  const end = to - (raw.length - raw.trimEnd().length)
  if (end <= start) return undefined
  const plain = text.slice(start, end).split(/\s/).filter(Boolean).join(' ')
  if (!meaning.test(plain) || plain.startsWith('|')) return undefined
  return { text: plain, start, end, isFragment: !SENTENCE_END.test(plain) }
}

/** A full stop ends no sentence after an abbreviation or an initial, or before a small letter. */
function endsSentence(text: string, index: number, found: string): boolean {
  if (!found.startsWith('.') || found.startsWith('..'))
    return !/^\s+[\p{Ll}]/u.test(text.slice(index + found.length, index + found.length + 8))
  const next = /^\s+(["'“‘«([]*)(\S)/u.exec(text.slice(index + found.length, index + found.length + 40))?.[2]
  if (next !== undefined && /\p{Ll}/u.test(next)) return false
  const word = /[\p{L}\p{N}.]+$/u.exec(text.slice(Math.max(0, index - 24), index))?.[0] ?? ''
  if (/^\p{Lu}$/u.test(word) || (/^pp?$/.test(word) && /\d/.test(next ?? ''))) return false
  const isLineStart = /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 40), index - word.length))
  if (/^\d{1,3}$/.test(word) && isLineStart) return false
  return next === undefined || !ABBREVIATIONS.has(word.toLowerCase())
}
