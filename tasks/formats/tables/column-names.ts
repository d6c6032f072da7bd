import { type Hints, Problem } from '#kit'
import { findNearest } from '../words/nearest.ts'

export function findColumn(names: readonly string[], name: string): number {
  const index = names.indexOf(name)
  if (index >= 0) return index
  throw new Problem('COLUMN_NOT_FOUND', describeMissing(names, name))
}

/** What is said of a column that is not among these. */
export function describeMissing(names: readonly string[], name: string): Hints {
  // Of a shorter name, any other is near.
  const didYouMean = findClosestName(names, name) ?? (name.length < 3 ? undefined : findNearest(name, names))
  return { column: name, available: names.slice(0, 100), ...(didYouMean && { didYouMean }) }
}

function findClosestName(names: readonly string[], name: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const wanted = plain(name.slice(0, 200))
  const same = names.find(other => plain(other) === wanted)
  return (
    same ??
    names.find(other => plain(other).length > 2 && (plain(other).startsWith(wanted) || wanted.startsWith(plain(other))))
  )
}
