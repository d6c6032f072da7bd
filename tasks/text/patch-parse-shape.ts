import { Problem } from '#kit'

export interface HunkLine {
  mark: ' ' | '-' | '+'
  text: string
}

export interface Hunk {
  /** From 1, as the patch says; 0 where it does not say. */
  oldStart: number
  lines: HunkLine[]
  oldLacksEnd: boolean
  newLacksEnd: boolean
  /** The text of the hunk, for a list of rejects. */
  source: string
}

export interface FilePatch {
  from?: string
  to?: string
  hunks: Hunk[]
}

const HUNK = /^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?)?.*$/

/**
 * Reads a unified diff. Written by machines that guess, it may have fences around it, wrong counts, no numbers, and
 * context lines whose leading space is lost; with `recount` all that is mended, without it the counts must hold.
 */
export function parsePatch(patch: string, recount: boolean): FilePatch[] {
  const lines = unfenced(patch).replace(/\n$/, '').split('\n')
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) at = readPart(lines, at, files, recount)
  if (!files.some(({ hunks }) => hunks.length > 0)) throw new Problem('PATCH_INVALID', { detail: 'no hunk' })
  return files
}

/** Reads the head of a file, a hunk or a line that means nothing, and says where to go on. */
function readPart(lines: string[], at: number, files: FilePatch[], recount: boolean): number {
  const line = lines[at]!
  if (isFileHead(lines, at)) {
    files.push({ from: nameOf(line), to: nameOf(lines[at + 1]!), hunks: [] })
    return at + 2
  }
  if (!HUNK.test(line)) {
    refuseUnreadable(line, at + 1)
    return at + 1
  }
  if (files.length === 0) files.push({ hunks: [] })
  const end = hunkEnd(lines, at + 1, recount ? undefined : countsOf(line))
  files.at(-1)!.hunks.push(readHunk(lines.slice(at, end), at + 1, recount))
  return end
}

function unfenced(patch: string): string {
  const plain = patch.replace(/\r\n/g, '\n')
  const fence = /^```[^\n]*\n([\s\S]*?)^```\s*$/m.exec(plain)
  return fence ? fence[1]! : plain
}

function isFileHead(lines: string[], at: number): boolean {
  return lines[at]!.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')
}

function nameOf(line: string): string {
  return line.slice(4).split('\t')[0]!.trim()
}

function refuseUnreadable(line: string, number: number): void {
  if (line.startsWith('GIT binary patch') || /^Binary files .* differ$/.test(line)) {
    throw new Problem('PATCH_INVALID', { line: number, detail: 'a binary patch' })
  }
}

function countsOf(head: string): { old: number; new: number } | undefined {
  const [, oldStart, oldCount, , newCount] = HUNK.exec(head)!
  if (oldStart === undefined) return undefined
  return { old: Number(oldCount ?? 1), new: Number(newCount ?? 1) }
}

/** By its counts where they are to be believed, else where the next thing begins. */
function hunkEnd(lines: string[], start: number, counts: { old: number; new: number } | undefined): number {
  let at = start
  if (counts) return countedEnd(lines, start, counts)
  while (at < lines.length && !isNextThing(lines, at)) at++
  return at
}

function countedEnd(lines: string[], start: number, counts: { old: number; new: number }): number {
  let [old, into, at] = [counts.old, counts.new, start]
  for (; at < lines.length; at++) {
    const mark = lines[at]![0]
    if (mark === '\\') continue
    if (old <= 0 && into <= 0) break
    if (mark !== '+') old--
    if (mark !== '-') into--
  }
  return at
}

function isNextThing(lines: string[], at: number): boolean {
  const line = lines[at]!
  return /^(?:@@|diff --git |Index: )/.test(line) || isFileHead(lines, at)
}

function readHunk([head, ...body]: string[], number: number, recount: boolean): Hunk {
  const [, oldStart] = HUNK.exec(head!)!
  const counts = countsOf(head!)
  const hunk: Hunk = { oldStart: Number(oldStart ?? 0), lines: [], oldLacksEnd: false, newLacksEnd: false, source: '' }
  hunk.source = [head, ...body].join('\n')
  for (const [index, line] of body.entries()) addLine(hunk, line, number + index + 1, recount)
  if (recount) dropTrailingBlanks(hunk, counts)
  const sides = { old: sideOf(hunk, '-').length, new: sideOf(hunk, '+').length }
  const isAsCounted = counts === undefined || (counts.old === sides.old && counts.new === sides.new)
  if (!recount && !isAsCounted) throw new Problem('PATCH_INVALID', { line: number, detail: 'wrong counts' })
  return hunk
}

function addLine(hunk: Hunk, line: string, number: number, recount: boolean): void {
  const mark = line[0] ?? ''
  if (mark === '\\') noteMissingEnd(hunk)
  else if (isMark(mark)) hunk.lines.push({ mark, text: line.slice(1) })
  else if (line === '' || recount) hunk.lines.push({ mark: ' ', text: line })
  else throw new Problem('PATCH_INVALID', { line: number, detail: 'a line without a mark' })
}

function isMark(mark: string): mark is HunkLine['mark'] {
  return mark === ' ' || mark === '-' || mark === '+'
}

function noteMissingEnd(hunk: Hunk): void {
  const last = hunk.lines.at(-1)?.mark
  hunk.oldLacksEnd ||= last !== '+'
  hunk.newLacksEnd ||= last !== '-'
}

/** Blank lines after a hunk belong to what surrounds the patch, unless the counts ask for them. */
function dropTrailingBlanks(hunk: Hunk, counts: { old: number; new: number } | undefined): void {
  while (hunk.lines.at(-1)?.mark === ' ' && hunk.lines.at(-1)?.text === '') {
    if (hunk.source.endsWith('\n ')) return
    if (counts && sideOf(hunk, '-').length <= counts.old) return
    hunk.lines.pop()
    hunk.source = hunk.source.replace(/\n$/, '')
  }
}

/** What the hunk expects to find (`-`), or leaves behind (`+`). */
export function sideOf(hunk: Hunk, side: '-' | '+'): string[] {
  return hunk.lines.filter(({ mark }) => mark === ' ' || mark === side).map(({ text }) => text)
}

export function reversed(files: readonly FilePatch[]): FilePatch[] {
  const turned = { ' ': ' ', '-': '+', '+': '-' } as const
  return files.map(({ from, to, hunks }) => ({
    from: to,
    to: from,
    hunks: hunks.map(({ lines, oldLacksEnd, newLacksEnd, ...hunk }) => ({
      ...hunk,
      oldLacksEnd: newLacksEnd,
      newLacksEnd: oldLacksEnd,
      lines: deletionsFirst(lines.map(({ mark, text }) => ({ mark: turned[mark], text }))),
    })),
  }))
}

function deletionsFirst(lines: HunkLine[]): HunkLine[] {
  const sorted: HunkLine[] = []
  let added: HunkLine[] = []
  for (const line of lines) {
    if (line.mark === '+') added.push(line)
    else if (line.mark === '-') sorted.push(line)
    else {
      sorted.push(...added, line)
      added = []
    }
  }
  return [...sorted, ...added]
}
