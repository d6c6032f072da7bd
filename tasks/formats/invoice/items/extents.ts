import { addDecimals, isNear, multiplyDecimals, negateDecimal } from '../decimals.ts'
import { amountsOf, type Reading } from '../reader.ts'
import type { Word } from '../rows.ts'
import type { Column } from './columns.ts'

/** Names that stand left and figures that stand right are nearer to other columns; rows whose figures fit each other tell where each column is. */
export function widenColumns(
  reading: Reading,
  figures: readonly (readonly Word[])[],
  columns: readonly Column[],
): readonly Column[] {
  const ofFigures = columns.filter(({ field }) => FIGURES.has(field)).sort((one, other) => one.left - other.left)
  const fitting = figures.map(words => words.slice(-ofFigures.length)).filter(words => fits(reading, words, ofFigures))
  return columns.map(column => {
    const at = ofFigures.indexOf(column)
    const boxes = at < 0 ? [] : fitting.map(words => words[at]!.box)
    const left = Math.min(column.left, ...boxes.map(box => box[0]))
    return { ...column, left, right: Math.max(column.right, ...boxes.map(box => box[2])) }
  })
}

const FIGURES = new Set<Column['field']>(['quantity', 'unitPrice', 'discount', 'taxRate', 'amount'])

function fits(reading: Reading, words: readonly Word[], columns: readonly Column[]): boolean {
  if (words.length < columns.length) return false
  const text = (field: Column['field']) => words[columns.findIndex(column => column.field === field)]?.text ?? ''
  const read = (field: Column['field']) => amountsOf(reading, text(field).replace('%', ''), false).at(0)?.value
  const [quantity, unitPrice, amount] = [read('quantity'), read('unitPrice'), read('amount')]
  if (!quantity || !unitPrice || !amount) return false
  const off = text('discount').includes('%') ? read('discount') : undefined
  const factor = off ? multiplyDecimals(addDecimals(['100', negateDecimal(off)]), '0.01') : '1'
  return isNear(multiplyDecimals(multiplyDecimals(quantity, unitPrice), factor), amount, '0.02')
}
