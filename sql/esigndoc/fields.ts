import type { FieldRow, KnownRecipient } from '../../tasks/products/esigndoc/place.ts'
import type { EnvelopeTerms } from '../../tasks/products/esigndoc/terms.ts'
import { type Db, value } from '../db.ts'
import type { FieldView, PreparedFile } from './envelopes.ts'

/** A draft as far as its fields and its price follow from it. */
export interface DraftView {
  id: string
  title: string
  terms: EnvelopeTerms
  recipients: (KnownRecipient & { verification: string; delivery: string; phone: string | null })[]
  files: PreparedFile[]
  fields: FieldView[]
}

/** Throws NOT_FOUND or ENVELOPE_NOT_DRAFT, as those below do. */
export function readDraft(db: Db, accountId: string, id: string): Promise<DraftView> {
  return value(db, 'select esigndoc.read_draft($1, $2)', [accountId, id])
}

/** Throws ENVELOPE_FULL. */
export function addFields(
  db: Db,
  accountId: string,
  id: string,
  fields: readonly FieldRow[],
  changed: readonly (Pick<PreparedFile, 'content' | 'pages'> & { position: number })[],
): Promise<FieldView[]> {
  const values = [accountId, id, JSON.stringify(fields), JSON.stringify(changed)]
  return value(db, 'select esigndoc.add_fields($1, $2, $3, $4)', values)
}

export function changeField(
  db: Db,
  accountId: string,
  id: string,
  { id: fieldId, ...change }: FieldRow,
): Promise<FieldView[]> {
  return value(db, 'select esigndoc.change_field($1, $2, $3, $4)', [accountId, id, fieldId, JSON.stringify(change)])
}

export function removeField(db: Db, accountId: string, id: string, fieldId: string): Promise<FieldView[]> {
  return value(db, 'select esigndoc.remove_field($1, $2, $3)', [accountId, id, fieldId])
}
