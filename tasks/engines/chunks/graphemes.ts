import type { TextSizes } from './sizes.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** What a character may take that is not cut. A pile of marks that takes more is cut between its marks. */
const SLACK = 256
/** In how much of a piece, from its end, a space is looked for. */
const SPACE_SHARE = 0.5

/**
 * Where a piece ends that begins at `start` and has at most so many bytes: after the last space of its second half, else
 * between two characters as a reader sees them.
 */
export function findCut(text: string, sizes: TextSizes, { start, end, bytes }: PieceTerms): number {
  const reach = Math.max(sizes.reach(start, bytes), start + 1)
  if (reach >= end) return end
  const from = start + Math.ceil((reach - start) * SPACE_SHARE)
  for (let at = reach; at > from; at--) {
    if (isWordStart(text, at)) return at
  }
  return findBoundary(text, start, reach)
}

interface PieceTerms {
  start: number
  end: number
  bytes: number
}

/** The last place up to `reach` at which a character ends; `reach` if one takes all of it. */
function findBoundary(text: string, start: number, reach: number): number {
  let safe = reach
  while (safe > start && !isBoundary(text, safe)) safe--
  if (safe === reach) return reach
  let last = safe
  for (const { index } of segmenter.segment(text.slice(safe, reach + SLACK))) {
    if (safe + index > reach) break
    last = safe + index
  }
  return last > start ? last : reach
}

/** The first word from `from` on, else the first character. `least` is a place at which a character begins. */
export function findWordStart(
  text: string,
  { least, from, end }: { least: number; from: number; end: number },
): number {
  for (let at = Math.max(from, least + 1); at < end; at++) {
    if (isWordStart(text, at) && !isSpace(text.charCodeAt(at))) return at
  }
  let safe = from
  while (safe > least && !isBoundary(text, safe)) safe--
  for (const { index } of segmenter.segment(text.slice(safe, end))) {
    if (safe + index >= from) return safe + index
  }
  return end
}

/** Whether two code units are surely of two characters. Others are looked at by the segmenter. */
function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return isSimple(before) && isSimple(after) && !(before === 0x0d && after === 0x0a)
}

/** Latin letters, signs and ideographs neither join what is before them nor what is after. */
function isSimple(unit: number): boolean {
  return unit < 0x300 || (unit >= 0x3400 && unit <= 0x9fff)
}

/** What joins the character before it, also a space. */
const JOINER = /^[\p{M}\p{Emoji_Modifier}\u200c\u200d]/u

/** Whether a space is before it that nothing joins. */
function isWordStart(text: string, at: number): boolean {
  if (!isSpace(text.charCodeAt(at - 1))) return false
  return isBoundary(text, at) || !(text[at] === '\n' || JOINER.test(text.slice(at, at + 2)))
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
}
