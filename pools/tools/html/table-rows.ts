import { createDocument, type DominoElement } from '@mixmark-io/domino'

const table = createDocument('<table></table>', true).querySelector('table')!
const findByTag = table.getElementsByTagName
const rowsOf = new WeakMap<DominoElement, ArrayLike<DominoElement>>()

/**
 * Lets a table give out one list of its rows, which follows its changes. By itself this DOM walks the table for a new list
 * each time: a loop over 500 rows, as the writer of Markdown has several for each column, took seconds.
 */
function findOnce(this: DominoElement, name: string): ArrayLike<DominoElement> {
  if (name !== 'tr') return findByTag.call(this, name)
  const rows = rowsOf.get(this) ?? findByTag.call(this, name)
  rowsOf.set(this, rows)
  return rows
}

Object.defineProperty(Object.getPrototypeOf(table), 'getElementsByTagName', { value: findOnce, configurable: true })
