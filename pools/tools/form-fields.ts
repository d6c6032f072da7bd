import {
  type PDF,
  PdfArray,
  PdfDict,
  PdfName,
  PdfNumber,
  type PdfObject,
  PdfRef,
  PdfStream,
  PdfString,
} from '@libpdf/core'
import { inherited, inverse, moved, type Resolve, viewOf } from './pdf-view.ts'

export type FieldType = 'text' | 'checkbox' | 'radio' | 'select' | 'multiselect' | 'button' | 'signature'

/** A field of a form with the places where it is shown. */
export interface Field {
  name: string
  type: FieldType
  dict: PdfDict
  widgets: Widget[]
  flags: number
  options: Option[]
  maxLength: number | undefined
}

export interface Widget {
  dict: PdfDict
  /** Name of its appearance when it is on. */
  on: string | undefined
}

export interface Option {
  value: string
  label: string
}

export const FLAG = { readOnly: 1, required: 2, multiline: 1 << 12, password: 1 << 13, radio: 1 << 15, push: 1 << 16 }
export const MORE_FLAGS = { combo: 1 << 17, edit: 1 << 18, multiselect: 1 << 21, comb: 1 << 24 }

const MOST_FIELDS = 20_000

/** All fields in the order of the form. */
export function fieldsOf(pdf: PDF): Field[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const found: Field[] = []
  const seen = new Set<PdfDict>()
  const walk = (item: PdfObject, path: readonly string[]): void => {
    const dict = dictOf(item, resolve)
    if (!dict || seen.has(dict) || found.length > MOST_FIELDS) return
    seen.add(dict)
    const own = dict.getString('T', resolve)?.asString()
    const name = own === undefined ? path : [...path, own]
    const kids = [...(dict.getArray('Kids', resolve) ?? [])]
    const inner = kids.filter(kid => dictOf(kid, resolve)?.has('T'))
    for (const kid of inner) walk(kid, name)
    const shown =
      kids.length === 0 ? [dict] : kids.flatMap(kid => dictOf(kid, resolve) ?? []).filter(kid => !kid.has('T'))
    if (shown.length > 0) found.push(...fieldOf(dict, name.join('.'), shown, resolve))
  }
  for (const item of formOf(pdf)?.getArray('Fields', resolve) ?? []) walk(item, [])
  return found
}

export function formOf(pdf: PDF): PdfDict | undefined {
  return pdf.getCatalog().getDict('AcroForm', ref => pdf.getObject(ref))
}

export function dictOf(item: PdfObject | undefined, resolve: Resolve): PdfDict | undefined {
  const found = item instanceof PdfRef ? resolve(item) : item
  return found instanceof PdfDict ? found : undefined
}

/** What a field does not say, its parents say. */
export function attribute(dict: PdfDict, name: string, resolve: Resolve): PdfObject | undefined {
  let node: PdfDict | undefined = dict
  for (let depth = 0; node && depth < 32; depth += 1) {
    const value = node.get(name, resolve)
    if (value && value.type !== 'null') return value
    node = node.getDict('Parent', resolve)
  }
  return undefined
}

function fieldOf(dict: PdfDict, name: string, shown: PdfDict[], resolve: Resolve): Field[] {
  const kind = attribute(dict, 'FT', resolve)
  const given = attribute(dict, 'Ff', resolve)
  const flags = given instanceof PdfNumber ? given.value : 0
  const type = kind instanceof PdfName ? typeOf(kind.value, flags) : undefined
  if (!type) return []
  const widgets = shown.map(widget => ({ dict: widget, on: onStateOf(widget, resolve) }))
  const longest = attribute(dict, 'MaxLen', resolve)
  const maxLength = longest instanceof PdfNumber ? longest.value : undefined
  return [{ name, type, dict, widgets, flags, options: optionsOf(dict, type, widgets, resolve), maxLength }]
}

function typeOf(kind: string, flags: number): FieldType | undefined {
  if (kind === 'Tx') return 'text'
  if (kind === 'Sig') return 'signature'
  if (kind === 'Ch') return flags & MORE_FLAGS.multiselect ? 'multiselect' : 'select'
  if (kind !== 'Btn') return undefined
  if (flags & FLAG.push) return 'button'
  return flags & FLAG.radio ? 'radio' : 'checkbox'
}

/** The name of the looks that are not "Off". */
function onStateOf(widget: PdfDict, resolve: Resolve): string | undefined {
  const normal = widget.getDict('AP', resolve)?.get('N', resolve)
  if (!(normal instanceof PdfDict) || normal instanceof PdfStream) return undefined
  return [...normal.keys()].map(({ value }) => value).find(state => state !== 'Off')
}

function optionsOf(dict: PdfDict, type: FieldType, widgets: readonly Widget[], resolve: Resolve): Option[] {
  const list = attribute(dict, 'Opt', resolve)
  const given = list instanceof PdfArray ? list.toArray().map(item => optionOf(item, resolve)) : []
  if (type === 'select' || type === 'multiselect') return given
  if (type !== 'radio' && type !== 'checkbox') return []
  const states = [...new Set(widgets.flatMap(({ on }) => on ?? []))]
  return states.map(value => ({ value, label: given[Number(value)]?.label ?? value }))
}

function optionOf(item: PdfObject, resolve: Resolve): Option {
  const found = item instanceof PdfRef ? resolve(item) : item
  if (found instanceof PdfArray) {
    const [value, label] = [found.at(0, resolve), found.at(1, resolve)].map(textOf)
    return { value: value ?? '', label: label ?? value ?? '' }
  }
  const text = textOf(found ?? undefined) ?? ''
  return { value: text, label: text }
}

export function textOf(value: PdfObject | undefined | null): string | undefined {
  if (value instanceof PdfString) return value.asString()
  if (value instanceof PdfName) return value.value
  if (value instanceof PdfStream) return PdfString.fromBytes(value.getDecodedData()).asString()
  return undefined
}

export interface ListedField {
  name: string
  type: FieldType
  value: string | boolean | string[] | null
  defaultValue: string | boolean | string[] | null
  options?: Option[]
  required: boolean
  readOnly: boolean
  maxLength?: number
  multiline?: boolean
  tooltip?: string
  page: number | null
  rect: number[] | null
}

/** The fields as a caller reads them. */
export function listed(pdf: PDF): ListedField[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const places = placesOf(pdf, resolve)
  return fieldsOf(pdf).map(field => {
    const { name, type, flags, options, maxLength, dict } = field
    const place = field.widgets.map(widget => places.get(widget.dict)).find(Boolean)
    const tooltip = textOf(attribute(dict, 'TU', resolve))
    return {
      name,
      type,
      value: valueIn(field, 'V', resolve),
      defaultValue: valueIn(field, 'DV', resolve),
      ...(options.length > 0 ? { options } : {}),
      required: (flags & FLAG.required) !== 0,
      readOnly: (flags & FLAG.readOnly) !== 0,
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(type === 'text' ? { multiline: (flags & FLAG.multiline) !== 0 } : {}),
      ...(tooltip ? { tooltip } : {}),
      page: place?.page ?? null,
      rect: place?.rect ?? null,
    }
  })
}

function valueIn({ dict, type, options }: Field, name: 'V' | 'DV', resolve: Resolve): ListedField['value'] {
  const value = attribute(dict, name, resolve)
  if (type === 'signature' || type === 'button') return null
  if (type === 'multiselect') return textsOf(value, resolve)
  const text = textOf(value) ?? null
  if (type !== 'checkbox' && type !== 'radio') return text
  const isOn = text !== null && text !== 'Off'
  if (type === 'checkbox' && options.length < 2) return isOn
  return isOn ? text : null
}

function textsOf(value: PdfObject | undefined, resolve: Resolve): string[] {
  const list = value instanceof PdfArray ? value.toArray() : value ? [value] : []
  return list.flatMap(item => textOf(item instanceof PdfRef ? resolve(item) : item) ?? [])
}

/** Where each widget stands: its page and its box from the top left corner of the page as it is seen. */
function placesOf(pdf: PDF, resolve: Resolve): Map<PdfDict, { page: number; rect: number[] }> {
  const places = new Map<PdfDict, { page: number; rect: number[] }>()
  for (const [index, page] of pdf.getPages().entries()) {
    const view = viewOf(page, resolve)
    const toView = inverse(view.toPage)!
    const list = inherited(page, 'Annots', resolve)
    for (const item of list instanceof PdfArray ? list : []) {
      const dict = dictOf(item, resolve)
      const sides = dict && rectOf(dict, resolve)
      if (!dict || !sides) continue
      const [one, other] = [moved(toView, sides[0], sides[1]), moved(toView, sides[2], sides[3])]
      const across = [one[0], other[0]].sort((a, b) => a - b) as [number, number]
      const up = [one[1], other[1]].map(y => view.height - y).sort((a, b) => a - b) as [number, number]
      const rect = [across[0], up[0], across[1], up[1]].map(side => Math.round(side * 100) / 100)
      places.set(dict, { page: index + 1, rect })
    }
  }
  return places
}

export function rectOf(dict: PdfDict, resolve: Resolve): [number, number, number, number] | undefined {
  const sides = dict.getArray('Rect', resolve)
  const values = [0, 1, 2, 3].map(index => sides?.at(index, resolve))
  if (!values.every(value => value instanceof PdfNumber)) return undefined
  const [x1, y1, x2, y2] = values.map(value => value.value) as [number, number, number, number]
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
}
