/** The role of a character in a word. */
const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const APOSTROPHE = 4
type CharacterClass = 0 | 1 | 2 | 3 | 4

const ASCII = Array.from({ length: 128 }, (_, code) => classifyCharacter(String.fromCharCode(code)))

function classifyCharacter(character: string): CharacterClass {
  if (character === "'" || character === '’') return APOSTROPHE
  if (/\p{Lu}|\p{Lt}/u.test(character)) return UPPER
  if (/\p{L}|\p{M}/u.test(character)) return LOWER
  return /\p{N}/u.test(character) ? DIGIT : OTHER
}

function classifyAt(text: string, index: number): CharacterClass {
  const code = text.codePointAt(index)!
  return ASCII[code] ?? classifyCharacter(String.fromCodePoint(code))
}

function widthAt(text: string, index: number): 1 | 2 {
  return text.codePointAt(index)! > 0xffff ? 2 : 1
}

export interface Span {
  start: number
  end: number
}

/**
 * Runs of letters and digits, including apostrophes between them. This is a loop because a regular expression would need
 * a stack as long as the longest run.
 */
export function findWordSpans(text: string): Span[] {
  const spans: Span[] = []
  let start = -1
  let index = 0
  while (index < text.length) {
    const kind = classifyAt(text, index)
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
  const kind = classifyAt(text, index)
  return kind !== OTHER && kind !== APOSTROPHE
}

/** Splits a text into words, also within identifiers: `parseXMLFile's` gives parse, XML and Files. */
export function splitWords(text: string): string[] {
  return findWordSpans(text).flatMap(({ start, end }) => splitRun(text.slice(start, end).replace(/['’]/g, '')))
}

/** Cuts before an upper-case letter after another kind, and before the last upper-case letter of several. */
function splitRun(run: string): string[] {
  const words: string[] = []
  let start = 0
  let previous: CharacterClass = OTHER
  let previousIndex = 0
  let index = 0
  while (index < run.length) {
    const kind = classifyAt(run, index)
    const cut = findCut(previous, kind)
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

function findCut(previous: CharacterClass, kind: CharacterClass): 'this' | 'previous' | undefined {
  if (kind === UPPER && (previous === LOWER || previous === DIGIT)) return 'this'
  return kind === LOWER && previous === UPPER ? 'previous' : undefined
}
