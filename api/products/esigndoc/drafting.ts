import type { DraftView } from '../../../sql/esigndoc/fields.ts'
import type { FieldTerms } from '../../../tasks/products/esigndoc/field-body.ts'
import { type FieldRow, placeFields, planSearch } from '../../../tasks/products/esigndoc/place.ts'
import { toStoredFile } from '../../../tasks/products/esigndoc/seal-request.ts'
import { toLanguage } from '../../../tasks/products/esigndoc/terms.ts'
import type { ApiContext } from '../../context.ts'
import { prepareStored } from './documents.ts'
import { checkRules, newFieldId } from './planning.ts'

type Changed = Pick<DraftView['files'][number], 'content' | 'pages'> & { position: number }

/** The places of new fields of a draft. Looking for text may change its documents, because anchors are taken out of them. */
export async function placeOnDraft(
  context: ApiContext,
  accountId: string,
  { files, recipients, terms }: Pick<DraftView, 'files' | 'recipients' | 'terms'>,
  fields: readonly FieldTerms[],
): Promise<{ rows: FieldRow[]; changed: Changed[] }> {
  checkRules(fields)
  const search = planSearch(fields, false, recipients, toLanguage(terms.language))
  if (!search) return { rows: placeFields(fields, recipients, files, undefined, newFieldId), changed: [] }
  const stored = files.map(({ name, content }) => toStoredFile(name, content))
  const prepared = await prepareStored(context, accountId, stored, search)
  const rows = placeFields(fields, recipients, prepared.files, prepared.found ?? undefined, newFieldId)
  const changed = prepared.files.flatMap(({ content, pages }, position) =>
    content.key === files[position]!.content.key ? [] : [{ position, content, pages }],
  )
  return { rows, changed }
}
