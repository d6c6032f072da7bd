import { Problem } from '#kit'

/** Where a hunk matches, and how much of its context was ignored. */
export interface HunkMatch {
  line: number
  fuzz: number
}

/** The lines that a hunk expects, with how many of them are context at its start and end. */
export interface ExpectedLines {
  lines: readonly string[]
  /** Whether the line is to be removed: it must be the very line. */
  isRemoved: readonly boolean[]
  leading: number
  trailing: number
}

export interface MatchOptions {
  fuzz: number
  ignoreWhitespace: boolean
}

const MAX_STEPS = 30_000_000
const MIN_SIMILARITY = 0.9
const MIN_LINE_SIMILARITY = 0.5
const MAX_COMPARED_LENGTH = 400

/** Limits the cost of matching, so that no patch keeps a thread busy for long. */
export class MatchBudget {
  #stepsLeft = MAX_STEPS

  spend(steps: number): void {
    this.#stepsLeft -= steps
    if (this.#stepsLeft < 0)
      throw new Problem('TIME_LIMIT_EXCEEDED', { detail: 'the patch matches in too many places' })
  }
}

/**
 * Finds the lines that a hunk expects: exactly, then ignoring white space at line ends, then with less context, then by
 * similarity; a line that is to be removed is never another one that only looks like it. A match at the line that the patch names is taken at once; a match elsewhere must be the only one.
 */
export function findHunk(
  file: readonly string[],
  expected: ExpectedLines,
  at: number,
  { fuzz, ignoreWhitespace }: MatchOptions,
  budget: MatchBudget,
): HunkMatch | 'ambiguous' | undefined {
  const { lines, leading, trailing } = expected
  // Context at the start or end of the file is shorter; as in GNU patch, it is ignored last.
  const longest = Math.max(leading, trailing)
  for (let ignored = 0; ignored <= fuzz; ignored++) {
    const head = countIgnored(ignored, leading, longest)
    const needed = lines.slice(head, lines.length - countIgnored(ignored, trailing, longest))
    if (ignored > 0 && needed.length === 0) return undefined
    const line = findLines(file, needed, at + head, { fuzz, ignoreWhitespace }, budget)
    if (line === 'ambiguous') return line
    if (line !== undefined) return { line: line - head, fuzz: ignored }
  }
  return fuzz > 0 ? findSimilar(file, expected, at, fuzz, budget) : undefined
}

function countIgnored(ignored: number, context: number, longest: number): number {
  return Math.max(0, Math.min(context, ignored + context - longest))
}

const keepAll = (line: string) => line
const trimEnd = (line: string) => line.trimEnd()
const removeBlanks = (line: string) => line.replace(/\s+/g, '')

function findLines(
  file: readonly string[],
  needed: readonly string[],
  at: number,
  { fuzz, ignoreWhitespace }: MatchOptions,
  budget: MatchBudget,
): number | 'ambiguous' | undefined {
  const lenient = fuzz > 0 ? [keepAll, trimEnd] : [keepAll]
  for (const normalize of ignoreWhitespace ? [keepAll, trimEnd, removeBlanks] : lenient) {
    budget.spend(file.length)
    const line = findUnique(file.map(normalize), needed.map(normalize), at, budget)
    if (line !== undefined) return line
  }
  return undefined
}

function findUnique(
  file: readonly string[],
  needed: readonly string[],
  at: number,
  budget: MatchBudget,
): number | 'ambiguous' | undefined {
  const isMatch = (line: number) => line >= 0 && matchesAt(file, needed, line, budget)
  if (isMatch(at)) return at
  let found: number | undefined
  for (let line = 0; line + needed.length <= file.length; line++) {
    if (!isMatch(line)) continue
    if (found !== undefined) return 'ambiguous'
    found = line
  }
  return found
}

function matchesAt(file: readonly string[], needed: readonly string[], line: number, budget: MatchBudget): boolean {
  if (line + needed.length > file.length) return false
  let index = 0
  while (index < needed.length && file[line + index] === needed[index]) index++
  budget.spend(index + 1)
  return index === needed.length
}

function findSimilar(
  file: readonly string[],
  expected: ExpectedLines,
  at: number,
  fuzz: number,
  budget: MatchBudget,
): HunkMatch | 'ambiguous' | undefined {
  const candidates: number[] = []
  const { length } = expected.lines
  if (length === 0) return undefined
  for (let line = 0; line + length <= file.length; line++) {
    if (isSimilarAt(file, expected, line, budget)) candidates.push(line)
  }
  if (candidates.length > 1 && !candidates.includes(at)) return 'ambiguous'
  if (candidates.length === 0) return undefined
  return { line: candidates.includes(at) ? at : candidates[0]!, fuzz }
}

function isSimilarAt(
  file: readonly string[],
  { lines, isRemoved }: ExpectedLines,
  start: number,
  budget: MatchBudget,
): boolean {
  let missing = (1 - MIN_SIMILARITY) * lines.length
  for (const [index, line] of lines.entries()) {
    if (isRemoved[index] && file[start + index]!.trimEnd() !== line.trimEnd()) return false
    const similarity = compareLines(file[start + index]!, line, budget)
    missing -= 1 - similarity
    if (missing < 0 || similarity < MIN_LINE_SIMILARITY) return false
  }
  return true
}

/** The similarity of two lines, from 0 to 1, based on their edit distance. */
function compareLines(left: string, right: string, budget: MatchBudget): number {
  budget.spend(1)
  if (left === right) return 1
  const [from, to] = [left.trim(), right.trim()]
  if (from === to) return 0.95
  const longest = Math.max(from.length, to.length)
  const isTooDifferent =
    Math.min(from.length, to.length) < longest * MIN_LINE_SIMILARITY || longest > MAX_COMPARED_LENGTH
  if (isTooDifferent) return 0
  budget.spend(from.length * to.length)
  return 1 - editDistance(from, to) / longest
}

function editDistance(left: string, right: string): number {
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
