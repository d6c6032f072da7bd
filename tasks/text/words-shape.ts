/** What a character is to a word. */
const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const APOSTROPHE = 4
type CharacterClass = 0 | 1 | 2 | 3 | 4

const ASCII = Array.from({ length: 128 }, (_, code) => classOf(String.fromCharCode(code)))

function classOf(character: string): CharacterClass {
  if (character === "'" || character === '’') return APOSTROPHE
  if (/\p{Lu}|\p{Lt}/u.test(character)) return UPPER
  if (/\p{L}|\p{M}/u.test(character)) return LOWER
  return /\p{N}/u.test(character) ? DIGIT : OTHER
}

function classAt(text: string, index: number): CharacterClass {
  const code = text.codePointAt(index)!
  return ASCII[code] ?? classOf(String.fromCodePoint(code))
}

function widthAt(text: string, index: number): 1 | 2 {
  return text.codePointAt(index)! > 0xffff ? 2 : 1
}

export interface Span {
  start: number
  end: number
}

/** Runs of letters and digits, an apostrophe between two of them included. By hand: a pattern would need a stack as long as the longest run. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let start = -1
  let index = 0
  while (index < text.length) {
    const kind = classAt(text, index)
    const isInside = kind !== OTHER && (kind !== APOSTROPHE || (start >= 0 && isWordAt(text, index + 1)))
    if (isInside && start < 0) start = index
    if (!isInside && start >= 0) {
      spans.push({ start, end: index })
      start = -1
    }
    index += widthAt(text, index)
  }
  if (start >= 0) spans.push({ start, end: text.length })
  return spans
}

function isWordAt(text: string, index: number): boolean {
  if (index >= text.length) return false
  const kind = classAt(text, index)
  return kind !== OTHER && kind !== APOSTROPHE
}

/** The words that identifiers are made of: `parseXMLFile's` holds parse, XML and Files. */
export function wordsOf(text: string): string[] {
  return spansOf(text).flatMap(({ start, end }) => wordsOfRun(text.slice(start, end).replace(/['’]/g, '')))
}

/** Cuts before an upper-case letter that follows another kind, and before the last of several that begins a word. */
function wordsOfRun(run: string): string[] {
  const words: string[] = []
  let start = 0
  let previous: CharacterClass = OTHER
  let previousIndex = 0
  let index = 0
  while (index < run.length) {
    const kind = classAt(run, index)
    const cut = cutBefore(previous, kind)
    const at = cut === 'this' ? index : previousIndex
    if (cut && at > start) {
      words.push(run.slice(start, at))
      start = at
    }
    previous = kind
    previousIndex = index
    index += widthAt(run, index)
  }
  words.push(run.slice(start))
  return words
}

function cutBefore(previous: CharacterClass, kind: CharacterClass): 'this' | 'previous' | undefined {
  if (kind === UPPER && (previous === LOWER || previous === DIGIT)) return 'this'
  return kind === LOWER && previous === UPPER ? 'previous' : undefined
}
