import { Problem } from '#kit'
import type { GroupParams } from '../../../../../tasks/formats/tables/steps/groups.ts'
import { type Column, NUMERIC, toText } from '../../read/types.ts'
import { type Relation, TEXT_MARK } from '../../relation.ts'
import { name } from '../../sql-text.ts'

type Params = Pick<GroupParams['join'], 'suffixes' | 'how'>

interface Keys {
  left: Column[]
  right: Column[]
}

interface JoinedCells {
  cells: string[]
  /** By column of the result: the hidden one that has its cells as the file writes them. */
  texts: Map<string, string>
}

/** Keys of the same name come once; other names that both tables have get suffixes. */
export function listJoinedCells(
  left: Relation,
  right: Relation,
  keys: Keys,
  { suffixes, how }: Params,
  rightCell = (column: string) => `r.${name(column)}`,
): JoinedCells {
  const isShared = (index: number) =>
    keys.left[index]!.name.toLowerCase() === keys.right[index]!.name.toLowerCase() && how !== 'asof'
  const merged = new Set(keys.right.filter((_, index) => isShared(index)))
  const other = right.columns.filter(column => !merged.has(column))
  const has = (columns: readonly Column[], wanted: string) =>
    columns.some(column => column.name.toLowerCase() === wanted.toLowerCase())
  const joined = new CellList()
  for (const column of left.columns) {
    const key = keys.left.indexOf(column)
    const one = { value: `l.${name(column.name)}`, text: readText(left, column, hidden => `l.${name(hidden)}`) }
    if (key >= 0 && isShared(key)) {
      const two = keys.right[key]!
      const text = mergeTexts([one.text, readText(right, two, rightCell)], [column, two], how)
      joined.add(column.name, mergeKey(column, two, how), text)
    } else {
      joined.add(has(other, column.name) ? column.name + suffixes[0] : column.name, one.value, one.text)
    }
  }
  for (const column of other) {
    const wanted = has(left.columns, column.name) ? column.name + suffixes[1] : column.name
    joined.add(wanted, rightCell(column.name), readText(right, column, rightCell))
  }
  return joined
}

class CellList implements JoinedCells {
  readonly cells: string[] = []
  readonly texts = new Map<string, string>()
  readonly #taken = new Set<string>()

  add(wanted: string, value: string, text: string | undefined): void {
    if (this.#taken.has(wanted.toLowerCase()))
      throw new Problem('COLUMN_EXISTS', { column: wanted, hint: 'choose other suffixes' })
    this.#taken.add(wanted.toLowerCase())
    this.cells.push(`${value} AS ${name(wanted)}`)
    if (text === undefined) return
    const hidden = `${TEXT_MARK}${this.texts.size}`
    this.cells.push(`${text} AS ${name(hidden)}`)
    this.texts.set(wanted, hidden)
  }
}

function readText({ texts }: Relation, column: Column, read: (hidden: string) => string): string | undefined {
  const hidden = texts?.get(column.name)
  return hidden === undefined ? undefined : read(hidden)
}

/** Only joins that keep rows of the right table alone take a key from it. */
function takesRightKeys(how: Params['how']): boolean {
  return how === 'right' || how === 'full'
}

function mergeKey(left: Column, right: Column, how: Params['how']): string {
  const [one, two] = [`l.${name(left.name)}`, `r.${name(right.name)}`]
  if (!takesRightKeys(how)) return one
  const isSame = left.type === right.type || (NUMERIC.test(left.type) && NUMERIC.test(right.type))
  return isSame ? `coalesce(${one}, ${two})` : `coalesce(${toText(left, one)}, ${toText(right, two)})`
}

function mergeTexts(
  [one, two]: [left: string | undefined, right: string | undefined],
  [left, right]: [left: Column, right: Column],
  how: Params['how'],
): string | undefined {
  if (!takesRightKeys(how) || (one === undefined && two === undefined)) return one
  return `coalesce(${one ?? toText(left, `l.${name(left.name)}`)}, ${two ?? toText(right, `r.${name(right.name)}`)})`
}
