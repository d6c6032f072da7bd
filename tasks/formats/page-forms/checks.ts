import { boundingBox, joinText, sharesRow, type TableWord } from '../../engines/page-tables/table.ts'
import { groupRows } from '../../engines/page-tables/text-rows.ts'
import type { DocumentPage } from '../document/page.ts'
import type { Rect } from '../geometry/rect.ts'
import type { FormField } from './field.ts'

interface Check {
  box: Rect
  checked: boolean
  words: TableWord[]
}

const CHECKED = /^(?:[☑☒✓✔✗✘■⊠⊗●◉]|\[[xX✓✗*]\]|\([xX✓]\))$/u
const EMPTY = /^(?:[☐□❏❑◻○]|\[\s?\]|\(\s?\))$/u
/** The share of its inside that a cross or a tick covers at least. */
const MIN_INK = 0.04
const MARK = /^[xX✓✔✗✘☓×]$/u

/** Finds the check boxes of a page, drawn or written, with the text beside each. */
export function findChecks(
  page: DocumentPage,
  words: readonly TableWord[],
): { checks: FormField[]; used: Set<TableWord> } {
  const found = [...listWritten(words), ...listDrawn(page, words)]
  const used = new Set(found.flatMap(check => check.words))
  const rows = groupRows(words.filter(word => !used.has(word)))
  const checks = found.flatMap((check): FormField[] => {
    const label = findLabel(check, found, rows)
    if (label.length === 0) return []
    for (const word of label) used.add(word)
    const confidence = label.reduce((sum, word) => sum + word.confidence, 0) / label.length
    return [
      {
        ...{ key: joinText(label), value: String(check.checked), type: 'checkbox', checked: check.checked },
        ...{ keyBox: boundingBox(label.map(({ box }) => box)), valueBox: check.box },
        ...{ confidence: Math.round(confidence * 1000) / 1000, source: page.source },
      },
    ]
  })
  return { checks, used }
}

/** As characters, or as a letter between brackets, which may be two words. */
function listWritten(words: readonly TableWord[]): Check[] {
  return words.flatMap((word, index) => {
    const next = words[index + 1]
    const isOpen = /^[[(]$/.test(word.text) && next && /^[\])]$/.test(next.text) && next.line === word.line
    if (isOpen) return [{ box: boundingBox([word.box, next.box]), checked: false, words: [word, next] }]
    const checked = CHECKED.test(word.text)
    return checked || EMPTY.test(word.text) ? [{ box: word.box, checked, words: [word] }] : []
  })
}

/** A mark in a box may also be a letter of the text layer. */
function listDrawn({ rulings }: DocumentPage, words: readonly TableWord[]): Check[] {
  return (rulings?.squares ?? []).flatMap(({ box, ink }) => {
    const inside = words.filter(word => {
      const [x, y] = [(word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2]
      return x > box[0] && x < box[2] && y > box[1] && y < box[3]
    })
    // A box around anything else, such as a digit, is no check box.
    if (inside.some(({ text }) => !MARK.test(text))) return []
    return [{ box, checked: ink >= MIN_INK || inside.length > 0, words: inside }]
  })
}

/** The text right of a box, up to the next box; if there is none, the text left of it. */
function findLabel({ box }: Check, others: readonly Check[], rows: ReturnType<typeof groupRows>): TableWord[] {
  const row = rows.find(candidate => sharesRow(candidate.box, box))
  if (!row) return []
  const beside = others.filter(other => other.box !== box && sharesRow(other.box, box))
  const end = Math.min(Infinity, ...beside.map(other => other.box[0]).filter(left => left > box[2]))
  const right = row.chunks.find(chunk => chunk.box[0] > box[2] - 1 && chunk.box[0] - box[2] < 2 * row.size)
  if (right) return right.words.filter(word => word.box[0] < end)
  const start = Math.max(-Infinity, ...beside.map(other => other.box[2]).filter(side => side < box[0]))
  const left = row.chunks.findLast(chunk => chunk.box[2] < box[0] + 1 && box[0] - chunk.box[2] < 2 * row.size)
  return left ? left.words.filter(word => word.box[0] > start) : []
}
