import { buildEdits } from '../../formats/diff/edits.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import type { PagePair } from './pages.ts'
import { areDividedOtherwise, boxLines, type Ignored, joinWords, uniteBoxes, type Word } from './words.ts'

/** A difference on one pair of pages. */
export interface Change {
  op: 'insert' | 'delete' | 'replace'
  textA: string
  textB: string
  boxA: Rect | null
  boxB: Rect | null
}

/** What differs between two pages, with the boxes to mark on each of them. */
export interface PageChanges {
  changes: Change[]
  marksA: Rect[]
  marksB: Rect[]
  deleted: number
  inserted: number
}

interface Words {
  a: readonly Word[]
  b: readonly Word[]
}

/** Finds the changes between the words of two texts, for each pair of pages. */
export function listChanges(
  words: Words,
  matches: Int32Array,
  pairs: readonly PagePair[],
  { whitespace }: Ignored,
): PageChanges[] {
  const found = pairs.map((): PageChanges => ({ changes: [], marksA: [], marksB: [], deleted: 0, inserted: 0 }))
  const placeOf = { a: indexPages(pairs, 'a'), b: indexPages(pairs, 'b') }
  for (const { kind, left, right } of buildEdits(matches, words.a.length, words.b.length)) {
    if (kind === 'equal') continue
    const [removed, added] = [words.a.slice(...left), words.b.slice(...right)]
    if (whitespace && areDividedOtherwise(removed, added)) continue
    const addedByPlace = groupByPlace(added, placeOf.b)
    for (const [place, part] of groupByPlace(removed, placeOf.a)) {
      addChange(found[place]!, part, addedByPlace.get(place) ?? [])
      addedByPlace.delete(place)
    }
    for (const [place, part] of addedByPlace) addChange(found[place]!, [], part)
  }
  return found
}

function indexPages(pairs: readonly PagePair[], side: 'a' | 'b'): Map<number | null, number> {
  return new Map(pairs.map((pair, place) => [pair[side], place]))
}

/** A change that goes on over the end of a page is one change on each page. */
function groupByPlace(words: readonly Word[], placeOf: ReadonlyMap<number | null, number>): Map<number, Word[]> {
  const groups = new Map<number, Word[]>()
  for (const word of words) {
    const place = placeOf.get(word.page)!
    const group = groups.get(place)
    if (group) group.push(word)
    else groups.set(place, [word])
  }
  return groups
}

function addChange(page: PageChanges, removed: readonly Word[], added: readonly Word[]): void {
  page.changes.push({
    op: removed.length === 0 ? 'insert' : added.length === 0 ? 'delete' : 'replace',
    textA: joinWords(removed),
    textB: joinWords(added),
    boxA: removed.length === 0 ? null : uniteBoxes(removed.map(({ box }) => box)),
    boxB: added.length === 0 ? null : uniteBoxes(added.map(({ box }) => box)),
  })
  page.marksA.push(...boxLines(removed))
  page.marksB.push(...boxLines(added))
  page.deleted += removed.length
  page.inserted += added.length
}
