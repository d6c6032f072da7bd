import { Problem } from '#kit'
import type { SeededRandom } from '../../formats/random/seeded.ts'

type Draw = (random: SeededRandom) => string

/** How often `*`, `+` and `{n,}` repeat at most, beyond their minimum. */
const MORE = 8
const MAX_REPEATS = 1000
const MAX_LENGTH = 100_000
const DIGITS = '0123456789'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const CLASSES: Record<string, string> = { d: DIGITS, w: `${LETTERS}${DIGITS}_`, s: ' ' }
const CONTROLS: Record<string, string> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v' }

/** Prepares random texts that a regular expression matches as a whole. */
export function compilePattern(pattern: string, field: string): Draw {
  const parser = new PatternParser(pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''), field)
  const { draw, longest } = parser.parse()
  if (longest > MAX_LENGTH) throw new Problem('REGEX_INVALID', { field, reason: `texts longer than ${MAX_LENGTH}` })
  return draw
}

interface Part {
  draw: Draw
  longest: number
}

class PatternParser {
  readonly #text: readonly string[]
  readonly #field: string
  #at = 0
  #depth = 0

  constructor(pattern: string, field: string) {
    this.#text = [...pattern]
    this.#field = field
  }

  parse(): Part {
    const part = this.#alternatives()
    if (this.#at < this.#text.length) this.#refuse('unbalanced )')
    return part
  }

  #alternatives(): Part {
    const choices = [this.#sequence()]
    while (this.#take('|')) choices.push(this.#sequence())
    if (choices.length === 1) return choices[0]!
    return {
      draw: random => random.pick(choices).draw(random),
      longest: Math.max(...choices.map(({ longest }) => longest)),
    }
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#at < this.#text.length && this.#peek() !== '|' && this.#peek() !== ')') parts.push(this.#repeated())
    return {
      draw: random => parts.reduce((text, { draw }) => text + draw(random), ''),
      longest: parts.reduce((sum, { longest }) => sum + longest, 0),
    }
  }

  #repeated(): Part {
    const part = this.#single()
    const range = this.#quantifier()
    if (!range) return part
    this.#take('?')
    const [min, max] = range
    const draw: Draw = random => {
      let text = ''
      for (let count = random.integer(min, max); count > 0; count--) text += part.draw(random)
      return text
    }
    return { draw, longest: part.longest * max }
  }

  #quantifier(): [min: number, max: number] | undefined {
    if (this.#take('?')) return [0, 1]
    if (this.#take('*')) return [0, MORE]
    if (this.#take('+')) return [1, MORE]
    if (this.#peek() !== '{') return undefined
    const rest = this.#text.slice(this.#at, this.#at + 20).join('')
    const [whole, low, comma, high] = /^\{(\d+)(,)?(\d+)?\}/.exec(rest) ?? this.#refuse('malformed {}')
    this.#at += whole!.length
    const min = Number(low)
    const max = high !== undefined ? Number(high) : comma ? min + MORE : min
    if (max < min || max > MAX_REPEATS) this.#refuse(`repeats are from 0 to ${MAX_REPEATS}`)
    return [min, max]
  }

  #single(): Part {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return oneOf(this.#characterClass())
    if (this.#take('.')) return oneOf(LETTERS + DIGITS)
    if (this.#take('\\')) return this.#escape()
    const character = this.#next()
    if ('^$*+?{'.includes(character)) this.#refuse(`${character} at this place`)
    return { draw: () => character, longest: 1 }
  }

  #group(): Part {
    if (++this.#depth > 20) this.#refuse('nested too deeply')
    if (this.#take('?') && !this.#take(':')) this.#refuse('assertions and named groups')
    const part = this.#alternatives()
    if (!this.#take(')')) this.#refuse('unbalanced (')
    this.#depth--
    return part
  }

  #escape(): Part {
    const set = this.#escapedSet(this.#next())
    return set.length === 1 ? { draw: () => set, longest: 1 } : oneOf(set)
  }

  #escapedSet(mark: string): string {
    if (mark === 'D') return without(DIGITS)
    if (mark === 'W') return without(CLASSES.w!)
    if (mark === 'S') return without(' ')
    const known = CLASSES[mark] ?? CONTROLS[mark]
    if (known !== undefined) return known
    if (/[a-zA-Z0-9]/.test(mark)) this.#refuse(`\\${mark}`)
    return mark
  }

  #characterClass(): string {
    const isNegated = this.#take('^')
    let set = ''
    while (!this.#take(']')) {
      const from = this.#classMember()
      const isRange = this.#peek() === '-' && this.#text[this.#at + 1] !== ']' && from.length === 1
      if (isRange) this.#at++
      set += isRange ? this.#range(from, this.#classMember()) : from
    }
    const found = isNegated ? without(set) : set
    if (found === '') this.#refuse('an empty class')
    return found
  }

  #range(from: string, to: string): string {
    const [low, high] = [from.codePointAt(0)!, to.codePointAt(0)!]
    if (high < low || high - low > 5000) this.#refuse('a range of characters')
    return Array.from({ length: high - low + 1 }, (_, step) => String.fromCodePoint(low + step)).join('')
  }

  #classMember(): string {
    const character = this.#next()
    return character === '\\' ? this.#escapedSet(this.#next()) : character
  }

  #peek(): string | undefined {
    return this.#text[this.#at]
  }

  #next(): string {
    return this.#text[this.#at++] ?? this.#refuse('it ends early')
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at++
    return true
  }

  #refuse(reason: string): never {
    throw new Problem('REGEX_INVALID', { field: this.#field, position: this.#at, reason: `Not supported: ${reason}` })
  }
}

function oneOf(set: string): Part {
  const characters = [...set]
  return { draw: random => random.pick(characters), longest: 1 }
}

function without(set: string): string {
  return [...PRINTABLE].filter(character => !set.includes(character)).join('')
}
