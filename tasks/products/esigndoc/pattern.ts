import { Problem } from '#kit'

/** One position of a pattern: which characters it takes, and how often. */
interface Atom {
  takes(character: string): boolean
  least: number
  most: number
}

const MAX_COUNT = 100
const MAX_STEPS = 1_000

const CLASSES: Record<string, RegExp> = {
  d: /^\d$/,
  D: /^\D$/u,
  w: /^\w$/,
  W: /^\W$/u,
  s: /^\s$/,
  S: /^\S$/u,
}

const PIECE = /\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|(\.)|([^\\[\](){}*+?|^$.])/uy
const COUNT = /([*+?])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/y

// Decision 0451: check patterns of fields in the api, in linear time.

/** Reads a pattern of characters, classes and counts. Throws INVALID_PARAM for groups, alternatives and all else. */
export function parsePattern(text: string, field: string): readonly Atom[] {
  const atoms: Atom[] = []
  let at = text.startsWith('^') ? 1 : 0
  const end = /(^|[^\\])\$$/.test(text) ? text.length - 1 : text.length
  while (at < end) {
    PIECE.lastIndex = at
    const piece = PIECE.exec(text)
    if (!piece || piece.index + piece[0].length > end) throw refuse(field, text, at)
    at += piece[0].length
    COUNT.lastIndex = at
    const count = at < end ? COUNT.exec(text) : null
    if (count) at += count[0].length
    atoms.push({ takes: readPiece(piece, field, text), ...readCount(count) })
  }
  const steps = atoms.reduce((sum, { least, most }) => sum + (most === Infinity ? least + 1 : most), 0)
  if (steps > MAX_STEPS || atoms.some(({ least, most }) => least > most || least > MAX_COUNT))
    throw refuse(field, text, 0)
  return atoms
}

function refuse(field: string, pattern: string, at: number): Problem {
  return new Problem('INVALID_PARAM', {
    field,
    pattern,
    at,
    reason: 'characters, classes such as [A-Z] and \\d, and counts such as {2,4}; no groups and no alternatives',
  })
}

function readPiece(
  [, escaped, negated, members, any, plain]: RegExpExecArray,
  field: string,
  text: string,
): (character: string) => boolean {
  if (any !== undefined) return character => character !== '\n'
  if (plain !== undefined) return character => character === plain
  if (escaped !== undefined) return takesEscaped(escaped, field, text)
  const tests = [...members!.matchAll(/\\(.)|(.)-([^\\])|(.)/gsu)].map(([, word, from, to, single]) => {
    if (word !== undefined) return takesEscaped(word, field, text)
    if (from === undefined) return (character: string) => character === single
    const [low, high] = [from.codePointAt(0)!, to!.codePointAt(0)!]
    return (character: string) => character.codePointAt(0)! >= low && character.codePointAt(0)! <= high
  })
  return character => tests.some(test => test(character)) !== (negated === '^')
}

function takesEscaped(word: string, field: string, text: string): (character: string) => boolean {
  const known = CLASSES[word]
  if (known) return character => known.test(character)
  if (/[A-Za-z0-9]/.test(word)) throw refuse(field, text, 0)
  return character => character === word
}

function readCount(count: RegExpExecArray | null): { least: number; most: number } {
  if (!count) return { least: 1, most: 1 }
  const [, sign, least, comma, most] = count
  if (sign === '?') return { least: 0, most: 1 }
  if (sign !== undefined) return { least: sign === '+' ? 1 : 0, most: Infinity }
  return {
    least: Number(least),
    most: comma === undefined ? Number(least) : most === undefined ? Infinity : Number(most),
  }
}

/** Whether a whole text fits. All ways to read it are followed at once, so that its time grows with its length alone. */
export function matchesPattern(atoms: readonly Atom[], text: string): boolean {
  const steps = atoms.flatMap(({ takes, least, most }) => [
    ...Array.from({ length: least }, () => ({ takes, isOptional: false, repeats: false })),
    ...(most === Infinity
      ? [{ takes, isOptional: true, repeats: true }]
      : Array.from({ length: most - least }, () => ({ takes, isOptional: true, repeats: false }))),
  ])
  const skip = (places: Set<number>): Set<number> => {
    for (const place of places) if (steps[place]?.isOptional) places.add(place + 1)
    return places
  }
  let places = skip(new Set([0]))
  for (const character of text) {
    const next = new Set<number>()
    for (const place of places) {
      const step = steps[place]
      if (step?.takes(character)) next.add(step.repeats ? place : place + 1)
    }
    if (next.size === 0) return false
    places = skip(next)
  }
  return places.has(steps.length)
}
