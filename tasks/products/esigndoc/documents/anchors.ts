import type { TextPage } from '../../../formats/pdf/text-layout.ts'
import { findRightToLeft, isRightToLeft } from '../../../formats/words/direction.ts'
import type { AnchorSearch, FoundPlace } from '../document.ts'
import { type FoundText, findInLine, toPlainText } from './text-index.ts'

/** Where the text of an anchor stands, in reading order. Upper and lower case and spaces do not matter. */
export function findAnchor({ text, occurrence }: AnchorSearch, pages: readonly TextPage[]): FoundText[] {
  const pattern = toPlainText(text)
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\s+/g, '\\s+')
  if (pattern === '') return []
  const found = findEverywhere(new RegExp(pattern, 'giu'), pages)
  if (occurrence === 'all') return found
  const one = occurrence === 'first' ? found[0] : occurrence === 'last' ? found.at(-1) : found[occurrence - 1]
  return one ? [one] : []
}

function findEverywhere(expression: RegExp, pages: readonly TextPage[]): FoundText[] {
  return pages.flatMap(({ lines }, index) =>
    lines.flatMap(line => findInLine(line, expression).map(found => ({ page: index + 1, ...found }))),
  )
}

type AutomaticField = Pick<FoundPlace, 'type'> & FoundText

const SIGNATURE_LABELS =
  /(?:^|\s)(?:signature|signed|by|unterschrift|gezeichnet|firma|firmado|fdo|signé|signature du client|חתימה|(?:ال)?توقيع|(?:ال)?[إا]مضاء?|دستخط)(?:\s?\([^)]{1,40}\))?\s?\.?:/giu
const DATE_LABELS = /(?:^|\s)(?:date|datum|fecha|dated|תאריך|(?:ال)?تاريخ|تاریخ)\s?:/giu
/** At least five characters that draw a line to sign on. */
const RULES = /_{5,}|\.{10,}|…{4,}/g

/**
 * Printed places for signatures. A line to sign on that follows a label is the place of that label; one alone is a place
 * of its own, because that is how the simplest letters are made.
 */
export function findAutomatic(pages: readonly TextPage[]): AutomaticField[] {
  const labels = [
    ...findEverywhere(SIGNATURE_LABELS, pages).map(found => ({ ...found, type: 'signature' as const })),
    ...findEverywhere(DATE_LABELS, pages).map(found => ({ ...found, type: 'date' as const })),
  ]
  const rules = findEverywhere(RULES, pages)
  const placed = labels.map(label => ({ label, rule: rules.find(rule => follows(label, rule)) }))
  const used = new Set(placed.map(({ rule }) => rule))
  const free = rules.filter(rule => !used.has(rule)).map(rule => ({ ...rule, type: 'signature' as const }))
  const hasSignature = labels.some(({ type }) => type === 'signature')
  const fields = placed.map(({ label, rule }) => ({
    ...label,
    ...(rule && { box: rule.box, text: label.text + rule.text }),
  }))
  const fromRight = pages.map(({ lines }) => findRightToLeft(lines.map(({ text }) => text)) ?? false)
  return [...fields, ...(hasSignature ? [] : free)].toSorted((one, other) => {
    const across = fromRight[one.page - 1] ? other.box[2] - one.box[2] : one.box[0] - other.box[0]
    return one.page - other.page || one.box[1] - other.box[1] || across
  })
}

/** On the same line, behind the label in the direction in which that is read, and near to it. */
function follows(label: FoundText, rule: FoundText): boolean {
  const isOnLine = rule.page === label.page && Math.abs(rule.box[3] - label.box[3]) < label.box[3] - label.box[1]
  const distance = isRightToLeft(label.text) ? label.box[0] - rule.box[2] : rule.box[0] - label.box[2]
  return isOnLine && distance > -4 && distance < 60
}
