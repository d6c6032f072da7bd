import { type PDF, PdfArray, PdfDict, PdfName, PdfNumber, type PdfObject, PdfString } from '@libpdf/core'
import { Problem } from '#kit'
import { attribute, type Field, FLAG, formOf, MORE_FLAGS, textOf } from './form-fields.ts'
import { drawField, drawTick, type LooksWish } from './form-looks.ts'
import type { Lettering } from './pdf-lettering.ts'
import type { Resolve } from './pdf-view.ts'

export type GivenValue = string | number | boolean | readonly string[] | null

type Setting = (pdf: PDF, field: Field, value: GivenValue) => boolean

/** Gives a field a value and draws it; refuses a value that is none of the field's. */
export function setField(pdf: PDF, field: Field, value: GivenValue, lettering: Lettering, wish: LooksWish): void {
  if (field.flags & FLAG.readOnly) throw unfit(field, 'it is read-only')
  const hasText = SETTINGS[field.type](pdf, field, value)
  if (hasText) drawField(pdf, field, lettering, wish)
}

/** Each says whether the field shows text that is to be drawn. */
const SETTINGS: Record<Field['type'], Setting> = {
  text: setText,
  checkbox: setState,
  radio: setState,
  select: setChoice,
  multiselect: setChoices,
  button: refuse,
  signature: refuse,
}

function refuse(_pdf: PDF, field: Field): never {
  throw unfit(field, 'it holds no value that can be filled in')
}

function unfit({ name, options, type }: Field, detail: string, hints: object = {}): Problem {
  const allowed = options.length > 0 ? { allowed: options.slice(0, 100).map(({ value }) => value) } : {}
  return new Problem('FIELD_VALUE_INVALID', { name, type, detail, ...allowed, ...hints })
}

function setText(_pdf: PDF, field: Field, value: GivenValue): boolean {
  if (typeof value === 'boolean' || Array.isArray(value)) throw unfit(field, 'it takes text')
  const text = value === null ? '' : String(value)
  const { maxLength } = field
  if (maxLength !== undefined && [...text].length > maxLength)
    throw unfit(field, 'the text is too long', { maxLength, actual: [...text].length })
  field.dict.set('V', PdfString.fromString(text))
  field.dict.delete('RV')
  return true
}

/** A box is on under the name its own looks have, which need not be "Yes". */
function setState(pdf: PDF, field: Field, value: GivenValue): boolean {
  const state = stateFor(field, value)
  field.dict.set('V', PdfName.of(state))
  for (const { dict, on } of field.widgets) {
    if (on === undefined && state !== 'Off') drawTick(pdf, dict, state)
    dict.set('AS', PdfName.of(on === undefined || on === state ? state : 'Off'))
  }
  return false
}

function stateFor(field: Field, value: GivenValue): string {
  const { options, type } = field
  if (value === null || value === false) return 'Off'
  if (value === true && type === 'checkbox') return options[0]?.value ?? 'Yes'
  const text = String(value)
  const found = options.find(option => option.value === text) ?? options.find(({ label }) => label === text)
  if (found) return found.value
  if (text === 'Off') return text
  throw unfit(field, type === 'checkbox' ? 'it takes true or false, or one of its states' : 'there is no such choice')
}

function setChoice(_pdf: PDF, field: Field, value: GivenValue): boolean {
  if (typeof value === 'boolean' || Array.isArray(value)) throw unfit(field, 'it takes one choice')
  const isFree = (field.flags & MORE_FLAGS.combo) !== 0 && (field.flags & MORE_FLAGS.edit) !== 0
  if (value === null) field.dict.delete('V')
  else field.dict.set('V', PdfString.fromString(choiceOf(field, String(value), isFree)))
  field.dict.delete('I')
  return true
}

function choiceOf(field: Field, text: string, isFree: boolean): string {
  const { options } = field
  const found = options.find(option => option.value === text) ?? options.find(({ label }) => label === text)
  if (!found && !isFree) throw unfit(field, 'there is no such choice')
  return found?.value ?? text
}

function setChoices(_pdf: PDF, field: Field, value: GivenValue): boolean {
  if (typeof value === 'boolean') throw unfit(field, 'it takes a list of choices')
  const list = Array.isArray(value) ? value : value === null ? [] : [String(value)]
  const chosen = list.map(item => choiceOf(field, String(item), false))
  const places = chosen.map(item => field.options.findIndex(option => option.value === item)).sort((a, b) => a - b)
  field.dict.set('V', PdfArray.of(...chosen.map(item => PdfString.fromString(item))))
  field.dict.set('I', PdfArray.of(...places.map(place => PdfNumber.of(place))))
  return true
}

/** Fields that have a value and no looks: readers were asked to draw them, and will not be any more. */
export function drawUndrawn(pdf: PDF, fields: readonly Field[], lettering: Lettering, wish: LooksWish): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  for (const field of fields) {
    const isDrawn = field.widgets.every(({ dict }) => dict.getDict('AP', resolve)?.has('N'))
    const hasText = field.type === 'text' || field.type === 'select' || field.type === 'multiselect'
    if (!isDrawn && hasText && textOf(attribute(field.dict, 'V', resolve))) drawField(pdf, field, lettering, wish)
  }
}

/** Whether the form computes or checks values by scripts, which nobody runs here. */
export function hasScripts(pdf: PDF, fields: readonly Field[]): boolean {
  const resolve: Resolve = ref => pdf.getObject(ref)
  return (formOf(pdf)?.has('CO') ?? false) || fields.some(({ dict }) => dict.getDict('AA', resolve) !== undefined)
}

/** Refuses what the signer of a document has shut. */
export function checkLocks(pdf: PDF, fields: readonly Field[], names: readonly string[]): void {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const certified = pdf.getCatalog().getDict('Perms', resolve)?.getDict('DocMDP', resolve)
  const level = transformOf(certified, 'DocMDP', resolve)
  if (certified && (level?.getNumber('P', resolve)?.value ?? 2) === 1) throw new Problem('PDF_SIGNED')
  for (const { dict, type } of fields) {
    const signature = type === 'signature' ? attribute(dict, 'V', resolve) : undefined
    if (!(signature instanceof PdfDict)) continue
    const lock = transformOf(signature, 'FieldMDP', resolve)
    const shut = names.find(name => isShut(name, lock, resolve))
    if (shut !== undefined) throw new Problem('PDF_SIGNED', { field: shut })
  }
}

function transformOf(signature: PdfDict | undefined, method: string, resolve: Resolve): PdfDict | undefined {
  const references = signature?.getArray('Reference', resolve)
  for (let index = 0; references && index < references.length; index += 1) {
    const reference: PdfObject | undefined = references.at(index, resolve)
    if (!(reference instanceof PdfDict)) continue
    if (reference.getName('TransformMethod', resolve)?.value === method)
      return reference.getDict('TransformParams', resolve)
  }
  return undefined
}

function isShut(name: string, lock: PdfDict | undefined, resolve: Resolve): boolean {
  const action = lock?.getName('Action', resolve)?.value
  const listed = [...(lock?.getArray('Fields', resolve) ?? [])].flatMap(item => textOf(item) ?? [])
  const isNamed = listed.some(field => name === field || name.startsWith(`${field}.`))
  return action === 'All' || (action === 'Include' && isNamed) || (action === 'Exclude' && !isNamed)
}
