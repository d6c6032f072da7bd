import { buildEdits, type Edit } from '../../formats/diff/edits.ts'

/** A range of the base and the corresponding ranges of both sides. */
interface Region {
  base: [start: number, end: number]
  ours: [start: number, end: number]
  theirs: [start: number, end: number]
  changed: 'none' | 'ours' | 'theirs' | 'both'
}

/** Aligns the changes of both sides, and finds where they overlap. */
export function alignChanges(
  oursPairs: Int32Array,
  theirsPairs: Int32Array,
  lengths: { base: number; ours: number; theirs: number },
): Region[] {
  const changesOf = (pairs: Int32Array, length: number) =>
    buildEdits(pairs, lengths.base, length).filter(({ kind }) => kind === 'change')
  const ours = changesOf(oursPairs, lengths.ours)
  const theirs = changesOf(theirsPairs, lengths.theirs)
  const regions: Region[] = []
  const at = { base: 0, ours: 0, theirs: 0 }
  const push = (to: typeof at, changed: Region['changed']) => {
    if (to.base > at.base || to.ours > at.ours || to.theirs > at.theirs) {
      regions.push({ base: [at.base, to.base], ours: [at.ours, to.ours], theirs: [at.theirs, to.theirs], changed })
    }
    Object.assign(at, to)
  }
  const advance = (base: number) => ({ base, ours: at.ours + base - at.base, theirs: at.theirs + base - at.base })
  while (ours.length > 0 || theirs.length > 0) {
    const { start, end, mine, others } = takeOverlapping(ours, theirs)
    push(advance(start), 'none')
    const spread = (edits: Edit[], from: number) =>
      from +
      (end - start) +
      edits.reduce((sum, { left, right }) => sum + (right[1] - right[0]) - (left[1] - left[0]), 0)
    const changed = mine.length === 0 ? 'theirs' : others.length === 0 ? 'ours' : 'both'
    push({ base: end, ours: spread(mine, at.ours), theirs: spread(others, at.theirs) }, changed)
  }
  push(advance(lengths.base), 'none')
  return regions
}

/** Takes the next change together with all changes of either side that overlap or touch it. */
function takeOverlapping(ours: Edit[], theirs: Edit[]): { start: number; end: number; mine: Edit[]; others: Edit[] } {
  const start = Math.min(ours[0]?.left[0] ?? Infinity, theirs[0]?.left[0] ?? Infinity)
  const [mine, others]: [Edit[], Edit[]] = [[], []]
  let end = start
  for (;;) {
    const side = touches(ours[0], end) ? [ours, mine] : touches(theirs[0], end) ? [theirs, others] : undefined
    if (!side) return { start, end, mine, others }
    const edit = side[0]!.shift()!
    side[1]!.push(edit)
    end = Math.max(end, edit.left[1])
  }
}

function touches(edit: Edit | undefined, end: number): boolean {
  return edit !== undefined && edit.left[0] <= end
}

export interface Conflict {
  start: number
  end: number
  base: string
  ours: string
  theirs: string
  path?: string
}

export interface MergeOptions {
  granularity: 'lines' | 'words' | 'json'
  labels: { base: string; ours: string; theirs: string }
  onConflict: 'markers' | 'ours' | 'theirs' | 'union' | 'error'
  diff3Style: boolean
}

export interface Merged {
  text: string
  conflicts: Conflict[]
}

type Sides = Record<'base' | 'ours' | 'theirs', string[]>

/** Joins the regions. Conflicts are located by lines of the result from 1, or by characters from 0 for words. */
export function mergeRegions(regions: readonly Region[], sides: Sides, options: MergeOptions): Merged {
  const parts: string[] = []
  const conflicts: Conflict[] = []
  const byLines = options.granularity === 'lines'
  const sizeOf = (text: string) => (byLines ? text.split('\n').length - 1 : text.length)
  const first = byLines ? 1 : 0
  let at = first
  for (const region of regions) {
    const text = (side: keyof Sides) => sides[side].slice(...region[side]).join('')
    const all = { base: text('base'), ours: text('ours'), theirs: text('theirs') }
    const isConflict = region.changed === 'both' && all.ours !== all.theirs
    const piece = isConflict ? resolveConflict(all, options) : all[region.changed === 'theirs' ? 'theirs' : 'ours']
    const size = sizeOf(piece)
    if (isConflict) conflicts.push({ start: at, end: at + Math.max(0, size - first), ...all })
    parts.push(piece)
    at += size
  }
  return { text: parts.join(''), conflicts }
}

type Texts = Record<'base' | 'ours' | 'theirs', string>

function resolveConflict(all: Texts, { onConflict, labels, diff3Style, granularity }: MergeOptions): string {
  if (onConflict === 'ours' || onConflict === 'theirs') return all[onConflict]
  const line = granularity === 'lines' ? '\n' : ' '
  const ended = (text: string) => (text === '' || granularity !== 'lines' || text.endsWith('\n') ? text : `${text}\n`)
  if (onConflict === 'union') return ended(all.ours) + all.theirs
  const base = diff3Style ? `||||||| ${labels.base}${line}${ended(all.base)}` : ''
  const start = `<<<<<<< ${labels.ours}${line}${ended(all.ours)}`
  return `${start}${base}=======${line}${ended(all.theirs)}>>>>>>> ${labels.theirs}${line}`
}
