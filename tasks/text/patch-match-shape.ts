import { Problem } from '#kit'

/** Where a hunk fits, and how much of its context had to be overlooked. */
export interface Fit {
  place: number
  fuzz: number
}

export interface Closeness {
  fuzz: number
  ignoreWhitespace: boolean
}

const MOST_STEPS = 30_000_000
const CLOSE = 0.9
const LEAST_OF_A_LINE = 0.5
const LONGEST_COMPARED = 400

/** Counts what matching costs, so that no patch keeps a thread busy for long. */
export class Effort {
  private left = MOST_STEPS

  spend(steps: number): void {
    this.left -= steps
    if (this.left < 0) throw new Problem('TIME_LIMIT_EXCEEDED', { detail: 'the patch fits in too many places to try' })
  }
}

/**
 * Looks for the lines that a hunk expects: exactly, then without regard to white space at line ends, then with less
 * context, then by likeness. At the place the patch names the first fit is taken; elsewhere it must be the only one.
 */
export function findFit(
  file: readonly string[],
  expected: readonly string[],
  at: number,
  leading: number,
  trailing: number,
  { fuzz, ignoreWhitespace }: Closeness,
  effort: Effort,
): Fit | 'ambiguous' | undefined {
  for (let less = 0; less <= fuzz; less++) {
    const head = Math.min(less, leading)
    const needed = expected.slice(head, expected.length - Math.min(less, trailing))
    if (less > 0 && needed.length === 0) return undefined
    const place = placeOf(file, needed, at + head, ignoreWhitespace, effort)
    if (place === 'ambiguous') return place
    if (place !== undefined) return { place: place - head, fuzz: less }
  }
  return fuzz > 0 ? closestFit(file, expected, at, fuzz, effort) : undefined
}

const EXACT = (line: string) => line
const TRIMMED = (line: string) => line.trimEnd()
const BLANKED = (line: string) => line.replace(/\s+/g, '')

function placeOf(
  file: readonly string[],
  needed: readonly string[],
  at: number,
  ignoreWhitespace: boolean,
  effort: Effort,
): number | 'ambiguous' | undefined {
  for (const keyOf of ignoreWhitespace ? [EXACT, TRIMMED, BLANKED] : [EXACT, TRIMMED]) {
    effort.spend(file.length)
    const place = uniquePlace(file.map(keyOf), needed.map(keyOf), at, effort)
    if (place !== undefined) return place
  }
  return undefined
}

function uniquePlace(
  file: readonly string[],
  needed: readonly string[],
  at: number,
  effort: Effort,
): number | 'ambiguous' | undefined {
  const fits = (place: number) => place >= 0 && fitsAt(file, needed, place, effort)
  if (fits(at)) return at
  let found: number | undefined
  for (let place = 0; place + needed.length <= file.length; place++) {
    if (!fits(place)) continue
    if (found !== undefined) return 'ambiguous'
    found = place
  }
  return found
}

function fitsAt(file: readonly string[], needed: readonly string[], place: number, effort: Effort): boolean {
  if (place + needed.length > file.length) return false
  let index = 0
  while (index < needed.length && file[place + index] === needed[index]) index++
  effort.spend(index + 1)
  return index === needed.length
}

function closestFit(
  file: readonly string[],
  expected: readonly string[],
  at: number,
  fuzz: number,
  effort: Effort,
): Fit | 'ambiguous' | undefined {
  const places: number[] = []
  if (expected.length === 0) return undefined
  for (let place = 0; place + expected.length <= file.length; place++) {
    if (isLike(file, expected, place, effort)) places.push(place)
  }
  if (places.length > 1 && !places.includes(at)) return 'ambiguous'
  if (places.length === 0) return undefined
  return { place: places.includes(at) ? at : places[0]!, fuzz }
}

function isLike(file: readonly string[], expected: readonly string[], place: number, effort: Effort): boolean {
  let missing = (1 - CLOSE) * expected.length
  for (const [index, line] of expected.entries()) {
    const likeness = likenessOf(file[place + index]!, line, effort)
    missing -= 1 - likeness
    if (missing < 0 || likeness < LEAST_OF_A_LINE) return false
  }
  return true
}

/** The share of letters that two lines have in common, by the fewest edits between them. */
export function likenessOf(left: string, right: string, effort: Effort): number {
  effort.spend(1)
  if (left === right) return 1
  const [from, to] = [left.trim(), right.trim()]
  if (from === to) return 0.95
  const longest = Math.max(from.length, to.length)
  const isHopeless = Math.min(from.length, to.length) < longest * LEAST_OF_A_LINE || longest > LONGEST_COMPARED
  if (isHopeless) return 0
  effort.spend(from.length * to.length)
  return 1 - distance(from, to) / longest
}

function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let from = 1; from <= left.length; from++) {
    const next = [from]
    for (let to = 1; to <= right.length; to++) {
      const change = row[to - 1]! + (left[from - 1] === right[to - 1] ? 0 : 1)
      next.push(Math.min(change, row[to]! + 1, next[to - 1]! + 1))
    }
    row = next
  }
  return row[right.length]!
}
