import { stripLineEnd } from './tokens.ts'

/** A range of both sides that is equal, or is replaced on the left by the range on the right. */
export interface Edit {
  kind: 'equal' | 'change'
  left: [start: number, end: number]
  right: [start: number, end: number]
}

/** Builds edits from the pairs of matching positions, in order. */
export function buildEdits(pairs: Int32Array, leftLength: number, rightLength: number): Edit[] {
  const edits: Edit[] = []
  let [left, right] = [0, 0]
  const change = (toLeft: number, toRight: number) => {
    if (toLeft > left || toRight > right) edits.push({ kind: 'change', left: [left, toLeft], right: [right, toRight] })
  }
  for (let at = 0; at < pairs.length; at += 2) {
    const [from, to] = [pairs[at]!, pairs[at + 1]!]
    change(from, to)
    const last = edits.at(-1)
    if (last?.kind === 'equal' && from === left && to === right) {
      last.left[1] = from + 1
      last.right[1] = to + 1
    } else edits.push({ kind: 'equal', left: [from, from + 1], right: [to, to + 1] })
    left = from + 1
    right = to + 1
  }
  change(leftLength, rightLength)
  return edits
}

interface DiffStats {
  added: number
  removed: number
  changed: number
  similarity: number
}

interface Sides {
  left: readonly string[]
  right: readonly string[]
  /** Whether a piece counts as added or removed; similarity regards all. */
  isCounted(piece: string): boolean
}

/** `changed` counts removals with a counterpart among the additions; both other figures include it. */
export function computeStats(edits: readonly Edit[], { left, right, isCounted }: Sides): DiffStats {
  const count = (pieces: readonly string[], [start, end]: Edit['left']) =>
    pieces.slice(start, end).filter(isCounted).length
  let [added, removed, changed, equal] = [0, 0, 0, 0]
  for (const { kind, ...edit } of edits) {
    if (kind === 'equal') {
      equal += edit.left[1] - edit.left[0]
      continue
    }
    const [out, into] = [count(left, edit.left), count(right, edit.right)]
    removed += out
    added += into
    changed += Math.min(out, into)
  }
  const all = left.length + right.length
  return { added, removed, changed, similarity: all === 0 ? 1 : Math.round(((equal * 2) / all) * 1e4) / 1e4 }
}

interface UnifiedOptions {
  fileA: string
  fileB: string
  context: number
}

/** Formats edits as `diff -u` does, so that `patch` can apply them. */
export function formatUnified(edits: readonly Edit[], left: string[], right: string[], names: UnifiedOptions): string {
  const hunks = groupHunks(edits, names.context)
  if (hunks.length === 0) return ''
  const body = hunks.map(hunk => formatHunk(hunk, left, right))
  return `--- ${names.fileA}\n+++ ${names.fileB}\n${body.join('')}`
}

function groupHunks(edits: readonly Edit[], context: number): Edit[][] {
  const hunks: Edit[][] = []
  let current: Edit[] = []
  for (const [index, edit] of edits.entries()) {
    if (edit.kind === 'change') {
      current.push(edit)
      continue
    }
    const length = edit.left[1] - edit.left[0]
    const isLast = index === edits.length - 1
    if (current.length > 0 && (isLast || length > context * 2)) {
      hunks.push([...current, sliceEqual(edit, 0, Math.min(context, length))])
      current = []
    } else if (current.length > 0) {
      current.push(edit)
      continue
    }
    if (!isLast) current = [sliceEqual(edit, Math.max(0, length - context), length)]
  }
  if (current.some(({ kind }) => kind === 'change')) hunks.push(current)
  return hunks
}

function sliceEqual({ left, right }: Edit, from: number, to: number): Edit {
  return { kind: 'equal', left: [left[0] + from, left[0] + to], right: [right[0] + from, right[0] + to] }
}

function formatHunk(hunk: readonly Edit[], left: string[], right: string[]): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!]
  const range = (start: number, end: number) => `${end > start ? start + 1 : start},${end - start}`
  const head = `@@ -${range(first.left[0], last.left[1])} +${range(first.right[0], last.right[1])} @@\n`
  const lines = hunk.flatMap(({ kind, ...edit }) => {
    if (kind === 'equal') return left.slice(...edit.left).map(line => prefixLine(' ', line))
    return [
      ...left.slice(...edit.left).map(line => prefixLine('-', line)),
      ...right.slice(...edit.right).map(line => prefixLine('+', line)),
    ]
  })
  return head + lines.join('')
}

function prefixLine(mark: string, line: string): string {
  return line.endsWith('\n') ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`
}

export interface DiffOp {
  op: 'equal' | 'delete' | 'insert'
  value: string
  count: number
}

export function listOps(edits: readonly Edit[], left: string[], right: string[]): DiffOp[] {
  return edits.flatMap(({ kind, left: [from, to], right: [start, end] }) => {
    if (kind === 'equal') return [createOp('equal', right.slice(start, end))]
    return [createOp('delete', left.slice(from, to)), createOp('insert', right.slice(start, end))].filter(
      ({ count }) => count > 0,
    )
  })
}

function createOp(op: DiffOp['op'], pieces: string[]): DiffOp {
  return { op, value: pieces.join(''), count: pieces.length }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character]!)
}

const TAGS = { equal: 'span', delete: 'del', insert: 'ins' } as const

export function formatHtml(ops: readonly DiffOp[]): string {
  const parts = ops.map(({ op, value }) => `<${TAGS[op]}>${escapeHtml(value)}</${TAGS[op]}>`)
  return `<pre class="diff">${parts.join('')}</pre>\n`
}

const MAX_COLUMN_WIDTH = 80

/** Two columns as in `diff -y`: `<` only left, `>` only right, `|` changed. */
export function formatSideBySide(edits: readonly Edit[], left: string[], right: string[]): string {
  const cells = (pieces: string[]) => pieces.map(piece => stripLineEnd(piece).replaceAll('\t', '    '))
  const [leftCells, rightCells] = [cells(left), cells(right)]
  const longest = leftCells.reduce((length, cell) => Math.max(length, cell.length), 1)
  const width = Math.min(MAX_COLUMN_WIDTH, longest)
  const row = (from: string, mark: string, to: string) =>
    `${from.slice(0, width).padEnd(width)} ${mark} ${to}`.trimEnd()
  const rows = edits.flatMap(({ kind, left: [from, to], right: [start, end] }) =>
    Array.from({ length: Math.max(to - from, end - start) }, (_, step) => {
      const cell = from + step < to ? leftCells[from + step]! : undefined
      const other = start + step < end ? rightCells[start + step]! : undefined
      return row(cell ?? '', kind === 'equal' ? ' ' : chooseSeparator(cell, other), other ?? '')
    }),
  )
  return rows.map(line => `${line}\n`).join('')
}

function chooseSeparator(left: string | undefined, right: string | undefined): string {
  if (left === undefined) return '>'
  return right === undefined ? '<' : '|'
}
