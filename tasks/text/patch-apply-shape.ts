import { type Closeness, Effort, type Fit, findFit } from './patch-match-shape.ts'
import { type Hunk, sideOf } from './patch-parse-shape.ts'
import { bare, linesOf, majorityEnd } from './tokens-shape.ts'

export interface HunkReport {
  index: number
  /** Where it went, from 1. */
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

/** Applies hunks one after the other. What the text has is kept where the hunk only resembles it. */
export function applyHunks(text: string, hunks: readonly Hunk[], closeness: Closeness, effort = new Effort()): Patched {
  const whole = linesOf(text)
  const state: State = { lines: whole.map(bare), ends: whole.map(line => line.slice(bare(line).length)), drift: 0 }
  const end = majorityEnd(text)
  const reports: HunkReport[] = []
  const rejects: string[] = []
  for (const [index, hunk] of hunks.entries()) {
    const at = expectedPlace(hunk, state)
    const fit = fitOf(hunk, state, hunk.oldStart === 0 ? -Infinity : at, closeness, effort)
    if (fit === undefined || fit === 'ambiguous') {
      reports.push({ index, status: fit ?? 'rejected' })
      rejects.push(hunk.source)
      continue
    }
    put(hunk, fit, state, end)
    const offset = hunk.oldStart === 0 ? 0 : fit.place - at
    state.drift += offset + sideOf(hunk, '+').length - sideOf(hunk, '-').length
    reports.push({ index, line: fit.place + 1, offset, fuzz: fit.fuzz, status: 'applied' })
  }
  const patched = state.lines.map((line, index) => `${line}${state.ends[index]}`).join('')
  return { text: patched, hunks: reports, rejects }
}

interface State {
  lines: string[]
  ends: string[]
  /** How far the hunks so far have moved what follows. */
  drift: number
}

/** From 0. A hunk that only adds names the line it comes after. */
function expectedPlace(hunk: Hunk, { drift }: State): number {
  const isAddition = sideOf(hunk, '-').length === 0
  return Math.max(0, hunk.oldStart + drift - (isAddition ? 0 : 1))
}

function fitOf(
  hunk: Hunk,
  { lines }: State,
  at: number,
  closeness: Closeness,
  effort: Effort,
): Fit | 'ambiguous' | undefined {
  const expected = sideOf(hunk, '-')
  if (expected.length === 0) {
    if (hunk.oldStart === 0 && lines.length > 0) return undefined
    return { place: Math.max(0, Math.min(at, lines.length)), fuzz: 0 }
  }
  const marks = hunk.lines.map(({ mark }) => mark)
  const leading = marks.findIndex(mark => mark !== ' ')
  const trailing = marks.length - 1 - marks.findLastIndex(mark => mark !== ' ')
  if (leading < 0) return findFit(lines, expected, at, 0, 0, closeness, effort)
  return findFit(lines, expected, at, leading, trailing, closeness, effort)
}

function put(hunk: Hunk, { place }: Fit, state: State, end: string): void {
  const { lines, ends } = state
  const hadEnd = lines.length === 0 || ends.at(-1) !== ''
  const { newLines, newEnds, taken } = replacementOf(hunk, place, state, end)
  const reachesEnd = place + taken >= lines.length
  lines.splice(place, taken, ...newLines)
  ends.splice(place, taken, ...newEnds)
  for (let index = 0; index < ends.length - 1; index++) ends[index] ||= end
  if (reachesEnd && lines.length > 0) ends[ends.length - 1] = lacksEnd(hunk, hadEnd) ? '' : ends.at(-1) || end
}

function replacementOf(hunk: Hunk, place: number, { lines, ends }: State, end: string) {
  const [newLines, newEnds]: [string[], string[]] = [[], []]
  let taken = 0
  for (const { mark, text } of hunk.lines) {
    const at = place + taken
    if (mark !== '+') taken++
    if (mark === '-' || (mark === ' ' && at >= lines.length)) continue
    newLines.push(mark === '+' ? text : lines[at]!)
    newEnds.push(mark === '+' ? end : ends[at]!)
  }
  return { newLines, newEnds, taken }
}

function lacksEnd(hunk: Hunk, hadEnd: boolean): boolean {
  if (hunk.newLacksEnd) return true
  return !hunk.oldLacksEnd && !hadEnd
}
