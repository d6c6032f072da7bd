import { Problem } from '#kit'

interface HunkLine {
  mark: ' ' | '-' | '+'
  text: string
  end: '\n' | '\r\n'
}

export interface Hunk {
  /** The line number in the patch, from 1. A side without lines names the line before it, or 0. */
  oldStart: number | undefined
  newStart: number | undefined
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

const HUNK_HEADER = /^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?)?.*$/

/**
 * Parses a unified diff. Diffs written by language models may have fences around them, wrong counts, no line numbers, or
 * context lines without their leading space. With `recount` these are repaired; without it the counts must be right.
 */
export function parsePatch(patch: string, recount: boolean): FilePatch[] {
  const lines = stripFence(patch).replace(/\n$/, '').split('\n')
  const files: FilePatch[] = []
  let at = 0
  while (at < lines.length) at = readPart(lines, at, files, recount)
  if (!files.some(({ hunks }) => hunks.length > 0))
    throw new Problem('PATCH_INVALID', { detail: 'the patch has no hunk' })
  return files
}

/** Reads a file header, a hunk or a line without meaning, and returns the line after it. */
function readPart(lines: string[], at: number, files: FilePatch[], recount: boolean): number {
  const line = lines[at]!
  if (isFileHeader(lines, at)) {
    files.push({ from: readFileName(line), to: readFileName(lines[at + 1]!), hunks: [] })
    return at + 2
  }
  if (!HUNK_HEADER.test(line)) {
    rejectBinary(line, at + 1)
    return at + 1
  }
  if (files.length === 0) files.push({ hunks: [] })
  const end = findHunkEnd(lines, at + 1, recount ? undefined : readCounts(line))
  files.at(-1)!.hunks.push(readHunk(lines.slice(at, end), at + 1, recount))
  return end
}

function stripFence(patch: string): string {
  // Carriage returns after the headers too come from how the patch was sent; otherwise they belong to the file.
  const plain = /^@@[^\n]*\r$/m.test(patch) ? patch.replace(/\r\n/g, '\n') : patch
  const fence = /^```[^\n]*\n([\s\S]*?)^```\s*$/m.exec(plain)
  return fence ? fence[1]! : plain
}

function isFileHeader(lines: string[], at: number): boolean {
  return lines[at]!.startsWith('--- ') && (lines[at + 1] ?? '').startsWith('+++ ')
}

function readFileName(line: string): string {
  return line.slice(4).split('\t')[0]!.trim()
}

function rejectBinary(line: string, number: number): void {
  if (line.startsWith('GIT binary patch') || /^Binary files .* differ$/.test(line)) {
    throw new Problem('PATCH_INVALID', { line: number, detail: 'binary patches are not supported' })
  }
}

function readCounts(head: string): { old: number; new: number } | undefined {
  const [, oldStart, oldCount, , newCount] = HUNK_HEADER.exec(head)!
  if (oldStart === undefined) return undefined
  return { old: Number(oldCount ?? 1), new: Number(newCount ?? 1) }
}

function readStarts(head: string): Pick<Hunk, 'oldStart' | 'newStart'> {
  const [, oldStart, , newStart] = HUNK_HEADER.exec(head)!
  // Models write zeros on both sides where they do not know the numbers.
  const isPlaced = Number(oldStart) > 0 || Number(newStart) > 0
  return isPlaced ? { oldStart: Number(oldStart), newStart: Number(newStart) } : NOWHERE
}

const NOWHERE = { oldStart: undefined, newStart: undefined }

/** Finds the end of a hunk by its counts if they are trusted, otherwise by the start of the next part. */
function findHunkEnd(lines: string[], start: number, counts: { old: number; new: number } | undefined): number {
  let at = start
  if (counts) return countToHunkEnd(lines, start, counts)
  while (at < lines.length && !startsNextPart(lines, at)) at++
  return at
}

function countToHunkEnd(lines: string[], start: number, counts: { old: number; new: number }): number {
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

function startsNextPart(lines: string[], at: number): boolean {
  const line = lines[at]!
  return /^(?:@@|diff --git |Index: )/.test(line) || isFileHeader(lines, at)
}

function readHunk([head, ...body]: string[], number: number, recount: boolean): Hunk {
  const counts = readCounts(head!)
  const hunk: Hunk = { ...readStarts(head!), lines: [], oldLacksEnd: false, newLacksEnd: false, source: '' }
  hunk.source = [head, ...body].join('\n')
  for (const [index, line] of body.entries()) addLine(hunk, line, number + index + 1, recount)
  if (recount) dropTrailingBlanks(hunk, counts)
  const sides = { old: linesOfSide(hunk, '-').length, new: linesOfSide(hunk, '+').length }
  const isAsCounted = counts === undefined || (counts.old === sides.old && counts.new === sides.new)
  if (!recount && !isAsCounted)
    throw new Problem('PATCH_INVALID', { line: number, detail: 'the counts of a hunk are wrong' })
  return hunk
}

function addLine(hunk: Hunk, given: string, number: number, recount: boolean): void {
  const end = given.endsWith('\r') ? '\r\n' : '\n'
  const line = end === '\n' ? given : given.slice(0, -1)
  const mark = line[0] ?? ''
  if (mark === '\\') noteMissingEnd(hunk)
  else if (isMark(mark)) hunk.lines.push({ mark, text: line.slice(1), end })
  else if (line === '' || recount) hunk.lines.push({ mark: ' ', text: line, end })
  else throw new Problem('PATCH_INVALID', { line: number, detail: 'a line does not begin with a space, + or -' })
}

function isMark(mark: string): mark is HunkLine['mark'] {
  return mark === ' ' || mark === '-' || mark === '+'
}

function noteMissingEnd(hunk: Hunk): void {
  const last = hunk.lines.at(-1)
  hunk.oldLacksEnd ||= last?.mark !== '+'
  hunk.newLacksEnd ||= last?.mark !== '-'
  // The carriage return before a missing line end belongs to the text.
  if (last?.end === '\r\n') hunk.lines.splice(-1, 1, { ...last, text: `${last.text}\r`, end: '\n' })
}

/** Drops blank lines after a hunk, which belong to the text around the patch, unless the counts include them. */
function dropTrailingBlanks(hunk: Hunk, counts: { old: number; new: number } | undefined): void {
  while (hunk.lines.at(-1)?.mark === ' ' && hunk.lines.at(-1)?.text === '') {
    if (hunk.source.endsWith('\n ')) return
    if (counts && linesOfSide(hunk, '-').length <= counts.old) return
    hunk.lines.pop()
    hunk.source = hunk.source.replace(/\n$/, '')
  }
}

/** The lines that the hunk expects (`-`), or produces (`+`). */
export function linesOfSide(hunk: Hunk, side: '-' | '+'): string[] {
  return hunk.lines.filter(({ mark }) => mark === ' ' || mark === side).map(({ text }) => text)
}

export function reversePatches(files: readonly FilePatch[]): FilePatch[] {
  const opposite = { ' ': ' ', '-': '+', '+': '-' } as const
  return files.map(({ from, to, hunks }) => ({
    from: to,
    to: from,
    hunks: hunks.map(({ lines, oldStart, newStart, oldLacksEnd, newLacksEnd, ...hunk }) => ({
      ...hunk,
      oldStart: newStart,
      newStart: oldStart,
      oldLacksEnd: newLacksEnd,
      newLacksEnd: oldLacksEnd,
      lines: sortDeletionsFirst(lines.map(line => ({ ...line, mark: opposite[line.mark] }))),
    })),
  }))
}

function sortDeletionsFirst(lines: HunkLine[]): HunkLine[] {
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
