import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfString } from '@libpdf/core'
import { Problem } from '#kit'
import type { FieldValue } from '../../../../tasks/formats/pdf/document.ts'
import type { FontEmbedder } from '../content/embedded-fonts.ts'
import type { Resolve } from '../objects.ts'
import { type FieldTextStyle, writeCheckmark, writeFieldAppearance } from './appearance.ts'
import { acroFormOf, FIELD_FLAGS, type Field, inheritedAttribute, readText } from './fields.ts'

type ValueSetter = (pdf: PDF, field: Field, value: FieldValue) => boolean

/**
 * Sets the value of a field and updates its appearance. Rejects a value that the field cannot hold, and returns whether
 * a page shows all of it.
 */
export function setField(
  pdf: PDF,
  field: Field,
  value: FieldValue,
  embedder: FontEmbedder,
  textStyle: FieldTextStyle,
): boolean {
  if (field.flags & FIELD_FLAGS.readOnly) throw invalidValue(field, 'the field is read-only')
  const hasText = VALUE_SETTERS[field.type](pdf, field, value)
  return !hasText || writeFieldAppearance(pdf, field, embedder, textStyle)
}

/** Each returns whether the appearance must be drawn as text. */
const VALUE_SETTERS: Record<Field['type'], ValueSetter> = {
  text: setText,
  checkbox: setState,
  radio: setState,
  select: setChoice,
  multiselect: setChoices,
  button: rejectValue,
  signature: rejectValue,
}

function rejectValue(_pdf: PDF, field: Field): never {
  throw invalidValue(field, 'fields of this type cannot be filled')
}

function invalidValue({ name, options, type }: Field, detail: string, hints: object = {}): Problem {
  const allowed = options.length > 0 ? { allowed: options.slice(0, 100).map(({ value }) => value) } : {}
  return new Problem('FIELD_VALUE_INVALID', { name, type, detail, ...allowed, ...hints })
}

function setText(_pdf: PDF, field: Field, value: FieldValue): boolean {
  if (typeof value === 'boolean' || Array.isArray(value)) throw invalidValue(field, 'the field takes text')
  const text = value === null ? '' : String(value)
  const { maxLength } = field
  if (maxLength !== undefined && [...text].length > maxLength)
    throw invalidValue(field, 'the text is too long', { maxLength, actual: [...text].length })
  field.dict.set('V', PdfString.fromString(text))
  field.dict.delete('RV')
  return true
}

/** The name of the checked state comes from the field's own appearances and need not be "Yes". */
function setState(pdf: PDF, field: Field, value: FieldValue): boolean {
  const state = findState(field, value)
  field.dict.set('V', PdfName.of(state))
  for (const { dict, onState } of field.widgets) {
    if (onState === undefined && state !== 'Off') writeCheckmark(pdf, dict, state)
    dict.set('AS', PdfName.of(onState === undefined || onState === state ? state : 'Off'))
  }
  return false
}

function findState(field: Field, value: FieldValue): string {
  const { options, type } = field
  if (value === null || value === false) return 'Off'
  if (value === true && type === 'checkbox') return options[0]?.value ?? 'Yes'
  const text = String(value)
  const found = options.find(option => option.value === text) ?? options.find(({ label }) => label === text)
  if (found) return found.value
  if (text === 'Off') return text
  throw invalidValue(
    field,
    type === 'checkbox' ? 'the field takes true, false or one of its states' : 'the field has no such choice',
  )
}

function setChoice(_pdf: PDF, field: Field, value: FieldValue): boolean {
  if (typeof value === 'boolean' || Array.isArray(value)) throw invalidValue(field, 'the field takes one choice')
  const isEditable = (field.flags & FIELD_FLAGS.combo) !== 0 && (field.flags & FIELD_FLAGS.edit) !== 0
  if (value === null) field.dict.delete('V')
  else field.dict.set('V', PdfString.fromString(findChoice(field, String(value), isEditable)))
  field.dict.delete('I')
  return true
}

function findChoice(field: Field, text: string, isEditable: boolean): string {
  const { options } = field
  const found = options.find(option => option.value === text) ?? options.find(({ label }) => label === text)
  if (!found && !isEditable) throw invalidValue(field, 'the field has no such choice')
  return found?.value ?? text
}

function setChoices(_pdf: PDF, field: Field, value: FieldValue): boolean {
  if (typeof value === 'boolean') throw invalidValue(field, 'the field takes a list of choices')
  const list = Array.isArray(value) ? value : value === null ? [] : [String(value)]
  const chosen = list.map(item => findChoice(field, String(item), false))
  const indexes = chosen.map(item => field.options.findIndex(option => option.value === item)).sort((a, b) => a - b)
  field.dict.set('V', PdfArray.of(...chosen.map(item => PdfString.fromString(item))))
  field.dict.set('I', PdfArray.of(...indexes.map(index => PdfNumber.of(index))))
  return true
}

/** Draws fields that have a value but no appearance. Viewers drew them while `NeedAppearances` was set, which is removed. */
export function writeMissingAppearances(
  pdf: PDF,
  fields: readonly Field[],
  embedder: FontEmbedder,
  textStyle: FieldTextStyle,
): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const field of fields) {
    const hasAppearance = field.widgets.every(({ dict }) => dict.getDict('AP', resolve)?.has('N'))
    const hasText = field.type === 'text' || field.type === 'select' || field.type === 'multiselect'
    if (!hasAppearance && hasText && readText(inheritedAttribute(field.dict, 'V', resolve)))
      writeFieldAppearance(pdf, field, embedder, textStyle)
  }
}

/** Whether the form has scripts that compute or validate values; this service does not run them. */
export function hasScripts(pdf: PDF, fields: readonly Field[]): boolean {
  const resolve: Resolve = ref => pdf.getObject(ref)
  return (acroFormOf(pdf)?.has('CO') ?? false) || fields.some(({ dict }) => dict.getDict('AA', resolve) !== undefined)
}

/** Rejects changes to fields that a signature of the document locks. */
export function checkLocks(pdf: PDF, fields: readonly Field[], names: readonly string[]): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const certified = pdf.getCatalog().getDict('Perms', resolve)?.getDict('DocMDP', resolve)
  const level = findTransformParams(certified, 'DocMDP', resolve)
  if (certified && (level?.getNumber('P', resolve)?.value ?? 2) === 1) throw new Problem('PDF_SIGNED')
  for (const { dict, type } of fields) {
    const signature = type === 'signature' ? inheritedAttribute(dict, 'V', resolve) : undefined
    if (!(signature instanceof PdfDict)) continue
    const lock = findTransformParams(signature, 'FieldMDP', resolve)
    const lockedName = names.find(name => isLocked(name, lock, resolve))
    if (lockedName !== undefined) throw new Problem('PDF_SIGNED', { field: lockedName })
  }
}

function findTransformParams(signature: PdfDict | undefined, method: string, resolve: Resolve): PdfDict | undefined {
  const references = signature?.getArray('Reference', resolve)
  for (let index = 0; references && index < references.length; index += 1) {
    const reference: PdfObject | undefined = references.at(index, resolve)
    if (!(reference instanceof PdfDict)) continue
    if (reference.getName('TransformMethod', resolve)?.value === method)
      return reference.getDict('TransformParams', resolve)
  }
  return undefined
}

function isLocked(name: string, lock: PdfDict | undefined, resolve: Resolve): boolean {
  const action = lock?.getName('Action', resolve)?.value
  const listed = [...(lock?.getArray('Fields', resolve) ?? [])].flatMap(item => readText(item) ?? [])
  const isNamed = listed.some(field => name === field || name.startsWith(`${field}.`))
  return action === 'All' || (action === 'Include' && isNamed) || (action === 'Exclude' && !isNamed)
}
