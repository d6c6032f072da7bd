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
import { inheritedEntry, invertMatrix, readPageView, transformPoint } from '../content/page-view.ts'
import { type Resolve, resolveDict } from '../objects.ts'

type FieldType = 'text' | 'checkbox' | 'radio' | 'select' | 'multiselect' | 'button' | 'signature'

/** A form field with the widgets that display it. */
export interface Field {
  name: string
  type: FieldType
  dict: PdfDict
  widgets: Widget[]
  flags: number
  options: Option[]
  maxLength: number | undefined
}

interface Widget {
  dict: PdfDict
  /** The name of the appearance for the checked state. */
  onState: string | undefined
}

interface Option {
  value: string
  label: string
}

export const FIELD_FLAGS = {
  readOnly: 1,
  required: 2,
  multiline: 1 << 12,
  password: 1 << 13,
  radio: 1 << 15,
  push: 1 << 16,
  combo: 1 << 17,
  edit: 1 << 18,
  multiselect: 1 << 21,
  comb: 1 << 24,
}

const MAX_FIELDS = 20_000

/** Lists the fields in the order of the form. */
export function collectFields(pdf: PDF): Field[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const found: Field[] = []
  const seen = new Set<PdfDict>()
  const walk = (item: PdfObject, path: readonly string[]): void => {
    const dict = resolveDict(item, resolve)
    if (!dict || seen.has(dict) || found.length > MAX_FIELDS) return
    seen.add(dict)
    const partialName = dict.getString('T', resolve)?.asString()
    const name = partialName === undefined ? path : [...path, partialName]
    const kids = [...(dict.getArray('Kids', resolve) ?? [])]
    const childFields = kids.filter(kid => resolveDict(kid, resolve)?.has('T'))
    for (const kid of childFields) walk(kid, name)
    const widgets =
      kids.length === 0 ? [dict] : kids.flatMap(kid => resolveDict(kid, resolve) ?? []).filter(kid => !kid.has('T'))
    if (widgets.length > 0) found.push(...readField(dict, name.join('.'), widgets, resolve))
  }
  for (const item of acroFormOf(pdf)?.getArray('Fields', resolve) ?? []) walk(item, [])
  return found
}

export function acroFormOf(pdf: PDF): PdfDict | undefined {
  return pdf.getCatalog().getDict('AcroForm', ref => pdf.getObject(ref))
}

/** An entry of a field, or of the nearest parent that has it. */
export function inheritedAttribute(dict: PdfDict, name: string, resolve: Resolve): PdfObject | undefined {
  let node: PdfDict | undefined = dict
  for (let depth = 0; node && depth < 32; depth += 1) {
    const value = node.get(name, resolve)
    if (value && value.type !== 'null') return value
    node = node.getDict('Parent', resolve)
  }
  return undefined
}

function readField(dict: PdfDict, name: string, widgetDicts: PdfDict[], resolve: Resolve): Field[] {
  const kind = inheritedAttribute(dict, 'FT', resolve)
  const flagsEntry = inheritedAttribute(dict, 'Ff', resolve)
  const flags = flagsEntry instanceof PdfNumber ? flagsEntry.value : 0
  const type = kind instanceof PdfName ? typeOf(kind.value, flags) : undefined
  if (!type) return []
  const widgets = widgetDicts.map(widget => ({ dict: widget, onState: readOnState(widget, resolve) }))
  const maxLengthEntry = inheritedAttribute(dict, 'MaxLen', resolve)
  const maxLength = maxLengthEntry instanceof PdfNumber ? maxLengthEntry.value : undefined
  return [{ name, type, dict, widgets, flags, options: readOptions(dict, type, widgets, resolve), maxLength }]
}

function typeOf(kind: string, flags: number): FieldType | undefined {
  if (kind === 'Tx') return 'text'
  if (kind === 'Sig') return 'signature'
  if (kind === 'Ch') return flags & FIELD_FLAGS.multiselect ? 'multiselect' : 'select'
  if (kind !== 'Btn') return undefined
  if (flags & FIELD_FLAGS.push) return 'button'
  return flags & FIELD_FLAGS.radio ? 'radio' : 'checkbox'
}

/** The first appearance state other than "Off". */
function readOnState(widget: PdfDict, resolve: Resolve): string | undefined {
  const normal = widget.getDict('AP', resolve)?.get('N', resolve)
  if (!(normal instanceof PdfDict) || normal instanceof PdfStream) return undefined
  return [...normal.keys()].map(({ value }) => value).find(state => state !== 'Off')
}

function readOptions(dict: PdfDict, type: FieldType, widgets: readonly Widget[], resolve: Resolve): Option[] {
  const list = inheritedAttribute(dict, 'Opt', resolve)
  const options = list instanceof PdfArray ? list.toArray().map(item => readOption(item, resolve)) : []
  if (type === 'select' || type === 'multiselect') return options
  if (type !== 'radio' && type !== 'checkbox') return []
  const states = [...new Set(widgets.flatMap(({ onState }) => onState ?? []))]
  return states.map(value => ({ value, label: options[Number(value)]?.label ?? value }))
}

function readOption(item: PdfObject, resolve: Resolve): Option {
  const found = item instanceof PdfRef ? resolve(item) : item
  if (found instanceof PdfArray) {
    const [value, label] = [found.at(0, resolve), found.at(1, resolve)].map(readText)
    return { value: value ?? '', label: label ?? value ?? '' }
  }
  const text = readText(found ?? undefined) ?? ''
  return { value: text, label: text }
}

export function readText(value: PdfObject | undefined | null): string | undefined {
  if (value instanceof PdfString) return value.asString()
  if (value instanceof PdfName) return value.value
  if (value instanceof PdfStream) return PdfString.fromBytes(value.getDecodedData()).asString()
  return undefined
}

export interface FieldDescription {
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

/** Describes the fields as the API returns them. */
export function describeFields(pdf: PDF): FieldDescription[] {
  const resolve: Resolve = ref => pdf.getObject(ref)
  const locations = locateWidgets(pdf, resolve)
  return collectFields(pdf).map(field => {
    const { name, type, flags, options, maxLength, dict } = field
    const location = field.widgets.map(widget => locations.get(widget.dict)).find(Boolean)
    const tooltip = readText(inheritedAttribute(dict, 'TU', resolve))
    return {
      name,
      type,
      value: readValue(field, 'V', resolve),
      defaultValue: readValue(field, 'DV', resolve),
      ...(options.length > 0 ? { options } : {}),
      required: (flags & FIELD_FLAGS.required) !== 0,
      readOnly: (flags & FIELD_FLAGS.readOnly) !== 0,
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(type === 'text' ? { multiline: (flags & FIELD_FLAGS.multiline) !== 0 } : {}),
      ...(tooltip ? { tooltip } : {}),
      page: location?.page ?? null,
      rect: location?.rect ?? null,
    }
  })
}

function readValue({ dict, type, options }: Field, name: 'V' | 'DV', resolve: Resolve): FieldDescription['value'] {
  const value = inheritedAttribute(dict, name, resolve)
  if (type === 'signature' || type === 'button') return null
  if (type === 'multiselect') return readTexts(value, resolve)
  const text = readText(value) ?? null
  if (type !== 'checkbox' && type !== 'radio') return text
  const isOn = text !== null && text !== 'Off'
  if (type === 'checkbox' && options.length < 2) return isOn
  return isOn ? text : null
}

function readTexts(value: PdfObject | undefined, resolve: Resolve): string[] {
  const list = value instanceof PdfArray ? value.toArray() : value ? [value] : []
  return list.flatMap(item => readText(item instanceof PdfRef ? resolve(item) : item) ?? [])
}

/** Finds the page of each widget and its box, from the top left corner of the page as displayed. */
function locateWidgets(pdf: PDF, resolve: Resolve): Map<PdfDict, { page: number; rect: number[] }> {
  const locations = new Map<PdfDict, { page: number; rect: number[] }>()
  for (const [index, page] of pdf.getPages().entries()) {
    const view = readPageView(page, resolve)
    const toView = invertMatrix(view.toPage)!
    const list = inheritedEntry(page, 'Annots', resolve)
    for (const item of list instanceof PdfArray ? list : []) {
      const dict = resolveDict(item, resolve)
      const widgetRect = dict && readRect(dict, resolve)
      if (!dict || !widgetRect) continue
      const [one, other] = [
        transformPoint(toView, widgetRect[0], widgetRect[1]),
        transformPoint(toView, widgetRect[2], widgetRect[3]),
      ]
      const xs = [one[0], other[0]].sort((a, b) => a - b) as [number, number]
      const ys = [one[1], other[1]].map(y => view.height - y).sort((a, b) => a - b) as [number, number]
      const rect = [xs[0], ys[0], xs[1], ys[1]].map(side => Math.round(side * 100) / 100)
      locations.set(dict, { page: index + 1, rect })
    }
  }
  return locations
}

export function readRect(dict: PdfDict, resolve: Resolve): [number, number, number, number] | undefined {
  const sides = dict.getArray('Rect', resolve)
  const values = [0, 1, 2, 3].map(index => sides?.at(index, resolve))
  if (!values.every(value => value instanceof PdfNumber)) return undefined
  const [x1, y1, x2, y2] = values.map(value => value.value) as [number, number, number, number]
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]
}
