import type { SignerField } from '../../../../../sql/esigndoc/signing.ts'
import type { Texts } from '../../texts/en.ts'

const TYPES: Partial<Record<SignerField['type'], keyof Texts>> = {
  signature: 'signature',
  initials: 'signature',
  date: 'fieldDate',
  name: 'fieldName',
  email: 'fieldEmail',
  text: 'fieldText',
  number: 'fieldNumber',
  dropdown: 'fieldChoice',
  radio: 'fieldChoice',
  checkbox: 'fieldBox',
  attachment: 'fieldAttachment',
  stamp: 'fieldStamp',
}

/** What a signer reads of a field. One without a label is named by its type, and numbered where there are several. */
export function nameField(field: SignerField, fields: readonly SignerField[], texts: Texts): string {
  const given = field.label ?? field.placeholder
  if (given !== undefined) return given
  const type = TYPES[field.type]
  if (!type) return field.id
  const alike = fields.filter(
    one => one.isOwn && TYPES[one.type] === type && one.label === undefined && one.placeholder === undefined,
  )
  return alike.length > 1 ? `${texts[type]} ${alike.findIndex(({ id }) => id === field.id) + 1}` : texts[type]
}
