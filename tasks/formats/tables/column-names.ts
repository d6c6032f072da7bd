import { type Hints, Problem } from '#kit'

export function findColumn(names: readonly string[], name: string): number {
  const index = names.indexOf(name)
  if (index >= 0) return index
  throw new Problem('COLUMN_NOT_FOUND', describeMissing(names, name))
}

/** What is said of a column that is not among these. */
export function describeMissing(names: readonly string[], name: string): Hints {
  const didYouMean = findClosestName(names, name) ?? findMistyped(names, name)
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

const LONGEST_MISTYPED = 60

/** The name that becomes the wanted one by the fewest edits, of at most a third of its letters. */
function findMistyped(names: readonly string[], name: string): string | undefined {
  if (name.length < 3 || name.length > LONGEST_MISTYPED) return undefined
  const wanted = name.toLowerCase()
  let best: { other: string; edits: number } | undefined
  for (const other of names) {
    if (Math.abs(other.length - name.length) > name.length / 3) continue
    const edits = countEdits(wanted, other.toLowerCase())
    if (edits <= name.length / 3 && edits < (best?.edits ?? Infinity)) best = { other, edits }
  }
  return best?.other
}

/** Letters that are added, left out or other ones; two that changed places are one edit. */
function countEdits(one: string, two: string): number {
  let before: number[] = []
  let row = Array.from({ length: two.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= two.length; j++) {
      const isSame = one[i - 1] === two[j - 1]
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(!isSame))
      const isSwapped = i > 1 && j > 1 && one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1]
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1)
    }
    before = row
    row = next
  }
  return row[two.length]!
}
