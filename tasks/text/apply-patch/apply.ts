import { majorityLineEnd, splitLines, stripLineEnd } from '../../formats/diff/tokens.ts'
import { type ExpectedLines, findHunk, type HunkMatch, MatchBudget, type MatchOptions } from './match.ts'
import { type Hunk, linesOfSide } from './parse.ts'

export interface HunkReport {
  index: number
  /** The line at which it was applied, from 1. */
  line?: number
  offset?: number
  fuzz?: number
  status: 'applied' | 'rejected' | 'ambiguous'
  file?: string
}

export interface Patched {
  text: string
  hunks: HunkReport[]
  rejects: string[]
}

/** Applies hunks one after the other. Where context matches only approximately, the lines of the text are kept. */
export function applyHunks(
  text: string,
  hunks: readonly Hunk[],
  options: MatchOptions,
  budget = new MatchBudget(),
): Patched {
  const linesWithEnds = splitLines(text)
  const state: State = {
    lines: linesWithEnds.map(stripLineEnd),
    ends: linesWithEnds.map(line => line.slice(stripLineEnd(line).length)),
    lineShift: 0,
  }
  const end = majorityLineEnd(state.ends.join(''))
  const reports: HunkReport[] = []
  const rejects: string[] = []
  for (const [index, hunk] of hunks.entries()) {
    const at = findExpectedLine(hunk, state)
    const match = locateHunk(hunk, state, at ?? -Infinity, options, budget)
    if (match === undefined || match === 'ambiguous') {
      reports.push({ index, status: match ?? 'rejected' })
      rejects.push(hunk.source)
      continue
    }
    applyHunk(hunk, match, state, isStrict(options) ? undefined : end)
    const offset = at === undefined ? 0 : match.line - at
    state.lineShift += offset + linesOfSide(hunk, '+').length - linesOfSide(hunk, '-').length
    reports.push({ index, line: match.line + 1, offset, fuzz: match.fuzz, status: 'applied' })
  }
  const patched = state.lines.map((line, index) => `${line}${state.ends[index]}`).join('')
  return { text: patched, hunks: reports, rejects }
}

interface State {
  lines: string[]
  ends: string[]
  /** How many lines the previous hunks have moved the rest of the text. */
  lineShift: number
}

/** The line at which a hunk is expected, from 0. A hunk that only adds lines names the line before them. */
function findExpectedLine(hunk: Hunk, { lineShift }: State): number | undefined {
  const { oldStart } = hunk
  const isAddition = linesOfSide(hunk, '-').length === 0
  if (oldStart === undefined || (oldStart === 0 && !isAddition)) return undefined
  return Math.max(0, oldStart + lineShift - (isAddition ? 0 : 1))
}

/** Without fuzz the ends of lines count as well, and a missing one at the end of the text. */
function isStrict({ fuzz, ignoreWhitespace }: MatchOptions): boolean {
  return fuzz === 0 && !ignoreWhitespace
}

function listOldLines(hunk: Hunk, options: MatchOptions): string[] {
  if (!isStrict(options)) return linesOfSide(hunk, '-')
  const old = hunk.lines.filter(({ mark }) => mark !== '+')
  return old.map(({ text, end }, index) => (hunk.oldLacksEnd && index === old.length - 1 ? text : text + end))
}

function locateHunk(
  hunk: Hunk,
  state: State,
  at: number,
  options: MatchOptions,
  budget: MatchBudget,
): HunkMatch | 'ambiguous' | undefined {
  const expected = listOldLines(hunk, options)
  const lines = isStrict(options) ? state.lines.map((line, index) => line + state.ends[index]) : state.lines
  if (expected.length === 0) {
    if (hunk.oldStart === undefined && lines.length > 0) return undefined
    return { line: Math.max(0, Math.min(at, lines.length)), fuzz: 0 }
  }
  return findHunk(lines, { lines: expected, ...describeContext(hunk) }, at, options, budget)
}

function describeContext(hunk: Hunk): Omit<ExpectedLines, 'lines'> {
  const marks = hunk.lines.map(({ mark }) => mark)
  const isRemoved = marks.filter(mark => mark !== '+').map(mark => mark === '-')
  const leading = Math.max(
    0,
    marks.findIndex(mark => mark !== ' '),
  )
  const trailing = marks.length - 1 - marks.findLastIndex(mark => mark !== ' ')
  return { isRemoved, leading, trailing: trailing === marks.length ? 0 : trailing }
}

/** Added lines get `end`; if it is left out, the ends that they have in the patch. */
function applyHunk(hunk: Hunk, { line: start }: HunkMatch, state: State, end: string | undefined): void {
  const { lines, ends } = state
  const hadFinalLineEnd = lines.length === 0 || ends.at(-1) !== ''
  const { newLines, newEnds, replaced } = buildReplacement(hunk, start, state, end)
  const reachesEnd = start + replaced >= lines.length
  lines.splice(start, replaced, ...newLines)
  ends.splice(start, replaced, ...newEnds)
  for (let index = 0; index < ends.length - 1; index++) ends[index] ||= end ?? '\n'
  if (reachesEnd && lines.length > 0)
    ends[ends.length - 1] = lacksEnd(hunk, hadFinalLineEnd) ? '' : ends.at(-1) || (end ?? '\n')
}

function buildReplacement(hunk: Hunk, start: number, { lines, ends }: State, end: string | undefined) {
  const [newLines, newEnds]: [string[], string[]] = [[], []]
  let replaced = 0
  for (const { mark, text, end: given } of hunk.lines) {
    const at = start + replaced
    if (mark !== '+') replaced++
    if (mark === '-' || (mark === ' ' && at >= lines.length)) continue
    newLines.push(mark === '+' ? text : lines[at]!)
    newEnds.push(mark === '+' ? (end ?? given) : ends[at]!)
  }
  return { newLines, newEnds, replaced }
}

function lacksEnd(hunk: Hunk, hadFinalLineEnd: boolean): boolean {
  if (hunk.newLacksEnd) return true
  return !hunk.oldLacksEnd && !hadFinalLineEnd
}
