import { Problem } from '#kit'
import type { TemplateField, TemplateView } from '../../../sql/esigndoc/templates.ts'
import { PLACED_FIELD_TYPES } from '../../../tasks/products/esigndoc/document.ts'
import type { FieldTerms } from '../../../tasks/products/esigndoc/field-body.ts'
import { placeFields } from '../../../tasks/products/esigndoc/place.ts'

export type EditedFields = readonly TemplateField[]

const KEY = /^[\w.-]{1,64}$/
const MAX_LINES = 500

/** The fields of a template as the form of its editor has them. What the form does not show of a field stays as it is. */
export function readEditedFields(form: URLSearchParams, { fields, files, roles }: TemplateView): TemplateField[] {
  const lines = Math.min(Number(form.get('lines')) || 0, MAX_LINES)
  const people = roles.map(({ key, role, name }) => ({ id: key, email: key, role, name }))
  const known = new Map(fields.map(field => [field.key, field]))
  const edited = Array.from({ length: lines }, (_, index) => readLine(form, index)).filter(line => line !== undefined)
  if (new Set(edited.map(({ key }) => key)).size < edited.length)
    throw new Problem('INVALID_PARAM', { field: 'key', reason: 'each has a key of its own' })
  return edited.map(line => {
    const { role, key, ...place } = line
    const kept = known.get(key)
    const recipient = role === '' ? undefined : people.findIndex(({ id }) => id === role)
    const field = {
      ...kept,
      ...place,
      id: key,
      readOnly: kept?.readOnly ?? false,
      ...(recipient !== undefined && { recipient }),
    }
    const [row] = placeFields([field as unknown as FieldTerms], people, files, undefined, () => key)
    const { spec, recipientId } = row!
    return {
      key,
      role: recipientId ?? null,
      ...spec,
      ...(kept?.defaultValue !== undefined && { defaultValue: kept.defaultValue }),
    }
  })
}

function readLine(form: URLSearchParams, index: number) {
  const key = form.get(`k${index}`)?.trim() ?? ''
  if (key === '') return undefined
  if (!KEY.test(key)) throw new Problem('INVALID_PARAM', { field: 'key', key, reason: 'letters, digits, and _ . -' })
  const type = PLACED_FIELD_TYPES.find(one => one === form.get(`t${index}`))
  if (!type) throw new Problem('INVALID_PARAM', { field: `type of ${key}` })
  const read = (letter: string) => readPercent(form.get(`${letter}${index}`), key)
  return {
    ...{ key, type, role: form.get(`r${index}`) ?? '', required: form.get(`q${index}`) === '1' },
    ...{ file: read('f') ?? 0, page: read('p') ?? 1, x: read('x'), y: read('y'), w: read('w'), h: read('h') },
  }
}

function readPercent(text: string | null, key: string): number | undefined {
  if (text === null || text.trim() === '') return undefined
  const number = Number(text.trim().replace(',', '.'))
  if (!Number.isFinite(number))
    throw new Problem('INVALID_PARAM', { field: key, reason: `${text.slice(0, 20)} is no number` })
  return number
}
