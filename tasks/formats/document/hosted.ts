import type { FoundCell, FoundTable } from '../../engines/page-tables/table.ts'
import type { Rect } from '../geometry/rect.ts'
import type { Invoice } from '../invoice/model.ts'
import type { FormField } from '../page-forms/field.ts'
import type { PageLine } from './page.ts'

/** The operations that a provider can serve instead of our own engines. */
export type HostedTask = 'extract-tables' | 'extract-form' | 'ocr-layout' | 'parse-invoice' | 'parse-id'

const DOCUMENT_PROVIDERS = ['textract', 'azure', 'google'] as const
export type DocumentProviderName = (typeof DOCUMENT_PROVIDERS)[number]
/** Who may have read a page. */
export const PAGE_ENGINES = ['local', ...DOCUMENT_PROVIDERS] as const

/** What providers read on a page. Boxes are shares of the page, confidence is from 0 to 1. */
export interface HostedText {
  lines: PageLine[]
}

export interface HostedTables extends HostedText {
  tables: FoundTable[]
}

export interface HostedFields extends HostedText {
  fields: FormField[]
}

export interface HostedInvoice extends HostedText {
  /** Nothing where the provider recognises neither an invoice nor a receipt. */
  invoice: Invoice | undefined
}

export type HostedIdField =
  | 'lastName'
  | 'firstName'
  | 'middleName'
  | 'documentNumber'
  | 'personalNumber'
  | 'dateOfBirth'
  | 'dateOfIssue'
  | 'dateOfExpiry'
  | 'sex'
  | 'nationality'
  | 'address'

interface HostedValue {
  value: string
  raw: string
  confidence: number
  source: 'model'
  box?: Rect
}

export interface HostedIdentity {
  documentType?: 'passport' | 'id-card' | 'driving-licence' | 'residence'
  /** ISO 3166. */
  issuingCountry?: string
  fields: Partial<Record<HostedIdField, HostedValue>>
}

/** What was found on the front and on the back, each read by itself. What is on both is of the front. */
export function joinSides([front = { fields: {} }, back]: readonly HostedIdentity[]): HostedIdentity {
  if (!back) return front
  // Boxes are shares of the front.
  const behind = Object.entries(back.fields).map(([name, { box: _, ...value }]) => [name, value] as const)
  return { ...back, ...front, fields: { ...Object.fromEntries(behind), ...front.fields } }
}

/** The page that boxes of providers are shares of. */
export const UNIT_PAGE = { width: 1, height: 1 }

/** A share of the page, for what a provider places beyond its edges. */
export function clipRect([left, top, right, bottom]: Rect): Rect {
  const clip = (share: number) => Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0))
  return [clip(left), clip(top), clip(right), clip(bottom)]
}

interface TextCell extends Omit<FoundCell, 'words'> {
  text: string
  confidence: number
}

/** A cell of which only the whole text is known. */
export function buildCell({ text, confidence, ...cell }: TextCell): FoundCell {
  const word = { text, confidence, box: cell.box, line: 0, height: cell.box[3] - cell.box[1] }
  return { ...cell, words: text === '' ? [] : [word] }
}

/** Tables whose counts and places fit each other, so that no answer makes more cells than it has. */
export function keepSoundTables(tables: readonly FoundTable[]): FoundTable[] {
  const isSound = ({ rows, cols, cells }: FoundTable) =>
    rows > 0 &&
    cols > 0 &&
    rows * cols <= MAX_PLACES &&
    cells.every(({ r, c, rowSpan, colSpan }) => r >= 0 && c >= 0 && rowSpan > 0 && colSpan > 0) &&
    cells.every(({ r, c, rowSpan, colSpan }) => r + rowSpan <= rows && c + colSpan <= cols)
  return tables.filter(isSound)
}

const MAX_PLACES = 20_000
