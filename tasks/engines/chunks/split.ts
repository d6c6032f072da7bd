import { splitSentences } from '../language/sentences.ts'
import { type Block, listBlocks } from './blocks.ts'
import { findCut, findWordStart } from './graphemes.ts'
import { TextSizes } from './sizes.ts'

export const SPLITS = ['sentence', 'markdown', 'paragraph', 'fixed'] as const
export type Split = (typeof SPLITS)[number]

export interface ChunkTerms {
  split: Split
  /** The most that a chunk has, in UTF-8. */
  chunkBytes: number
  /** How much of the end of a chunk the next one begins with, at most. */
  overlapBytes: number
}

export interface Chunk {
  text: string
  /** Where it is in the source, in UTF-16 code units. What it has in common with the chunk before is part of it. */
  start: number
  end: number
  /** The headings that it stands under. */
  headings: readonly string[]
  /** What stands before its text although it is further up: the names of the columns of a table that goes on. */
  repeated: string
}

/** A part that is not cut any more. The units of a text follow each other without a gap. */
interface Unit extends Pick<Block, 'start' | 'end' | 'kind'> {
  headings: readonly string[]
  repeated: string
}

/**
 * Cuts a text into chunks, in time that grows with its length. No chunk has part of a character, and none has part of a table
 * or a code block that fits into one: a larger table is cut between its rows, under the names of its columns again, and larger
 * code between its lines.
 */
export function splitText(text: string, terms: ChunkTerms): Chunk[] {
  const sizes = new TextSizes(text)
  const units = listUnits(text, sizes, terms)
  const chunks: Chunk[] = []
  for (let first = 0; first < units.length; ) {
    const start = findOverlapStart(text, sizes, { units, first, terms })
    const after = findEnd(units, sizes, { first, start, terms })
    const { headings, repeated } = units[first]!
    const end = units[after - 1]!.end
    chunks.push({ text: repeated + text.slice(start, end), start, end, headings, repeated })
    first = after
  }
  return chunks
}

interface Place {
  units: readonly Unit[]
  first: number
  terms: ChunkTerms
}

/** The units of a chunk end before this one. */
function findEnd(
  units: readonly Unit[],
  sizes: TextSizes,
  { first, start, terms }: { first: number; start: number; terms: ChunkTerms },
): number {
  const limit = terms.chunkBytes - Buffer.byteLength(units[first]!.repeated)
  let after = first + 1
  while (after < units.length && sizes.measure(start, units[after]!.end) <= limit) {
    const next = units[after]!
    const beginsSection = next.kind === 'heading' && units[after - 1]!.kind !== 'heading'
    if (next.repeated !== '' || (terms.split === 'markdown' && beginsSection)) break
    after += 1
  }
  return after < units.length ? leaveHeadings(units, first, after) : after
}

/** A heading does not end a chunk: it stands above what follows it. */
function leaveHeadings(units: readonly Unit[], first: number, after: number): number {
  let last = after
  while (last - 1 > first && units[last - 1]!.kind === 'heading') last -= 1
  return units[last - 1]!.kind === 'heading' ? after : last
}

/** A chunk begins with the end of the one before it, unless that is a table, code or of another section. */
function findOverlapStart(text: string, sizes: TextSizes, { units, first, terms }: Place): number {
  const { start, end, kind } = units[first]!
  const before = units[first - 1]
  const bytes = Math.min(terms.overlapBytes, terms.chunkBytes - sizes.measure(start, end))
  if (before?.kind !== 'prose' || kind !== 'prose' || bytes <= 0) return start
  let whole = first
  while (whole > 0 && units[whole - 1]!.kind === 'prose' && sizes.measure(units[whole - 1]!.start, start) <= bytes)
    whole -= 1
  if (whole < first && terms.split !== 'fixed') return units[whole]!.start
  const from = Math.max(before.start, sizes.reachBack(start, bytes))
  return findWordStart(text, { least: before.start, from, end: start })
}

function listUnits(text: string, sizes: TextSizes, terms: ChunkTerms): Unit[] {
  const path: { level: number; title: string }[] = []
  return listBlocks(text).flatMap(block => {
    if (block.kind === 'heading') {
      while (path.length > 0 && path.at(-1)!.level >= block.level!) path.pop()
      path.push({ level: block.level!, title: block.title! })
    }
    const headings = path.map(({ title }) => title).filter(title => title !== '')
    const pieces = cutBlock(text, sizes, block, terms)
    return pieces.map(piece => ({ kind: block.kind, repeated: '', ...piece, headings }))
  })
}

type Piece = Pick<Block, 'start' | 'end'> & { repeated?: string }

function cutBlock(text: string, sizes: TextSizes, block: Block, terms: ChunkTerms): Piece[] {
  const fits = sizes.measure(block.start, block.end) <= terms.chunkBytes
  if (block.kind === 'table') return fits ? [block] : cutTable(text, sizes, block, terms)
  if (block.kind !== 'prose') return fits ? [block] : cutLines(text, sizes, block, terms.chunkBytes)
  if (terms.split === 'fixed' || (fits && terms.split !== 'sentence')) return cutLong(text, sizes, block, terms)
  return listSentences(text, block).flatMap(sentence => cutLong(text, sizes, sentence, terms))
}

/** Long prose is cut by size, so that there is room for what it has in common with the chunk before. */
function cutLong(text: string, sizes: TextSizes, { start, end }: Piece, terms: ChunkTerms): Piece[] {
  if (sizes.measure(start, end) <= terms.chunkBytes && terms.split !== 'fixed') return [{ start, end }]
  return cutBySize(text, sizes, { start, end }, terms.chunkBytes - terms.overlapBytes)
}

function cutBySize(text: string, sizes: TextSizes, { start, end }: Piece, bytes: number): Piece[] {
  const pieces: Piece[] = []
  for (let at = start; at < end; ) {
    const cut = findCut(text, sizes, { start: at, end, bytes })
    pieces.push({ start: at, end: cut })
    at = cut
  }
  return pieces
}

/** Each sentence with what follows it up to the next. */
function listSentences(text: string, { start, end }: Piece): Piece[] {
  const ends = splitSentences(text.slice(start, end)).map(sentence => start + sentence.end)
  const pieces: Piece[] = []
  let from = start
  for (const [index, at] of ends.entries()) {
    const next = index === ends.length - 1 ? end : skipSpace(text, at, end)
    pieces.push({ start: from, end: next })
    from = next
  }
  return pieces.length > 0 ? pieces : [{ start, end }]
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from
  while (at < end && /\s/.test(text[at]!)) at += 1
  return at
}

/** The names of the columns stand above each part of a table, unless they take half of a chunk. */
function cutTable(
  text: string,
  sizes: TextSizes,
  { start, end, bodyStart = start }: Block,
  terms: ChunkTerms,
): Piece[] {
  const { chunkBytes } = terms
  const headBytes = sizes.measure(start, bodyStart)
  if (headBytes === 0 || headBytes > chunkBytes / 2) return cutLines(text, sizes, { start, end }, chunkBytes)
  const [first, ...rest] = joinLines(sizes, listLineEnds(text, bodyStart, end), {
    start: bodyStart,
    bytes: chunkBytes - headBytes,
  })
  const repeated = text.slice(start, bodyStart)
  const parts = [first!, ...rest].flatMap(part => cutBySize(text, sizes, part, chunkBytes - headBytes))
  return parts.map((part, index) => (index === 0 ? { start, end: part.end } : { ...part, repeated }))
}

function cutLines(text: string, sizes: TextSizes, { start, end }: Piece, bytes: number): Piece[] {
  const parts = joinLines(sizes, listLineEnds(text, start, end), { start, bytes })
  return parts.flatMap(part => cutBySize(text, sizes, part, bytes))
}

/** As many lines together as fit. A line that is longer is alone. */
function joinLines(
  sizes: TextSizes,
  ends: readonly number[],
  { start, bytes }: { start: number; bytes: number },
): Piece[] {
  const parts: Piece[] = []
  let from = start
  let until = start
  for (const end of ends) {
    if (until > from && sizes.measure(from, end) > bytes) {
      parts.push({ start: from, end: until })
      from = until
    }
    until = end
  }
  return [...parts, { start: from, end: until }]
}

function listLineEnds(text: string, start: number, end: number): number[] {
  const ends: number[] = []
  const breaks = /\r\n?|\n/g
  breaks.lastIndex = start
  while (breaks.exec(text) && breaks.lastIndex < end) ends.push(breaks.lastIndex)
  return [...ends, end]
}
