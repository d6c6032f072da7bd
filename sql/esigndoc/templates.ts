import type { FieldSpec } from '../../tasks/products/esigndoc/place.ts'
import type { EnvelopeTerms, RecipientTerms } from '../../tasks/products/esigndoc/terms.ts'
import { type Db, value } from '../db.ts'
import type { PreparedFile } from './envelopes.ts'

interface TemplateRole {
  key: string
  name: string
  order: number
  role: RecipientTerms['role']
}

/** Where a field of a role stands. */
export interface TemplateField extends FieldSpec {
  key: string
  role: string | null
  defaultValue?: unknown
}

interface TemplateContent {
  name: string
  files: PreparedFile[]
  roles: TemplateRole[]
  fields: TemplateField[]
  defaults: Partial<EnvelopeTerms> & { title?: string }
}

export interface TemplateView extends TemplateContent {
  id: string
  version: number
  createdAt: string
  updatedAt: string
}

/** Makes a template, or its next version. Throws NOT_FOUND, as those below do. */
export function saveTemplate(
  db: Db,
  accountId: string,
  template: TemplateContent & { id: string; isNew: boolean },
): Promise<TemplateView> {
  return value(db, 'select esigndoc.save_template($1, $2)', [accountId, JSON.stringify(template)])
}

export function readTemplate(db: Db, accountId: string, id: string): Promise<TemplateView> {
  return value(db, 'select esigndoc.read_template($1, $2)', [accountId, id])
}

export function listTemplates(
  db: Db,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<TemplateView[]> {
  return value(db, 'select esigndoc.list_templates($1, $2, $3)', [accountId, limit, offset])
}

export async function deleteTemplate(db: Db, accountId: string, id: string): Promise<void> {
  await value(db, 'select esigndoc.delete_template($1, $2)', [accountId, id])
}
