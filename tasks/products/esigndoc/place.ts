import { Problem } from '#kit'
import type { FoundPlace, FoundPlaces, PageGeometry, PlacedFieldType, PlaceSearch } from './document.ts'
import type { FieldTerms } from './field-body.ts'
import type { Language, RecipientTerms } from './terms.ts'

export interface KnownRecipient {
  id: string
  email: string | undefined
  role: RecipientTerms['role']
  name: string
}

/** A field where it stands. */
export interface FieldRow {
  id: string
  recipientId: string | undefined
  spec: FieldSpec
  value: unknown
}

type Rules = Pick<
  FieldTerms,
  'required' | 'readOnly' | 'label' | 'placeholder' | 'options' | 'group' | 'validation' | 'showIf' | 'font'
>

export interface FieldSpec extends Partial<Rules> {
  type: PlacedFieldType
  file: number
  page: number
  x: number
  y: number
  w: number
  h: number
  required: boolean
  readOnly: boolean
}

type AutoPlace = boolean | { page?: 'last' | number; style?: 'block' | 'page' }

/** Whose role it is to sign. */
export function signs({ role }: Pick<KnownRecipient, 'role'>): boolean {
  return role === 'signer' || role === 'witness'
}

/** What a worker must look for in the documents; undefined if every field says where it is. */
export function planSearch(
  fields: readonly FieldTerms[],
  auto: AutoPlace,
  recipients: readonly KnownRecipient[],
  language: Language,
): PlaceSearch | undefined {
  const anchors = fields.flatMap(({ anchor, file }, index) => {
    if (!anchor) return []
    const search = { ...anchor, occurrence: anchor.occurrence as 'first', ...(file !== undefined && { file }) }
    return [{ id: String(index), search }]
  })
  if (auto === false) return anchors.length > 0 ? { tags: false, anchors, automatic: false } : undefined
  const signers = recipients.flatMap((one, index) => (signs(one) ? [{ recipient: index + 1, name: one.name }] : []))
  const { style = 'page', page = 'last' } = typeof auto === 'object' ? auto : {}
  return { tags: true, anchors, automatic: true, fallback: { style, page, signers, language } }
}

/** Default sizes in per cent of the page. */
const SIZES: Partial<Record<PlacedFieldType, readonly [w: number, h: number]>> = {
  signature: [28, 6],
  initials: [10, 5],
  checkbox: [2.5, 1.8],
  radio: [2.5, 1.8],
  stamp: [16, 11],
  attachment: [28, 3],
}
const LINE: readonly [w: number, h: number] = [28, 3]

function sizeOf(type: PlacedFieldType): readonly [w: number, h: number] {
  return SIZES[type] ?? LINE
}

/** The fields with their places. Throws RECIPIENT_UNKNOWN, FIELD_OUT_OF_PAGE or ANCHOR_NOT_FOUND. */
export function placeFields(
  fields: readonly FieldTerms[],
  recipients: readonly KnownRecipient[],
  files: readonly { pages: readonly PageGeometry[] }[],
  found: FoundPlaces | undefined,
  newFieldId: () => string,
): FieldRow[] {
  const [missing] = found?.missing ?? []
  if (missing) throw new Problem('ANCHOR_NOT_FOUND', { text: missing.text, field: `fields/${missing.id}/anchor` })
  return fields.flatMap((field, index) => {
    const recipientId = findRecipient(field, recipients, index)
    const areas = field.anchor
      ? (found?.places ?? []).filter(({ anchorId }) => anchorId === String(index))
      : [readArea(field, files, index)]
    return areas.map((area, copy) => {
      requireWithin(area, field.id ?? `fields/${index}`)
      const id = field.id === undefined ? newFieldId() : copy === 0 ? field.id : `${field.id}-${copy + 1}`
      return { id, recipientId, spec: writeSpec(field, area), value: field.defaultValue ?? null }
    })
  })
}

type Area = Pick<FoundPlace, 'file' | 'page' | 'x' | 'y' | 'w' | 'h'>

function readArea(
  { file = 0, page = 1, x, y, w, h, type, id }: FieldTerms,
  files: readonly { pages: readonly PageGeometry[] }[],
  index: number,
): Area {
  const name = id ?? `fields/${index}`
  if (x === undefined || y === undefined)
    throw new Problem('MISSING_FIELD', { field: `fields/${index}/${x === undefined ? 'x' : 'y'}` })
  const pages = files[file]?.pages.length ?? 0
  const number = page < 0 ? pages + 1 + page : page
  if (number < 1 || number > pages) throw new Problem('FIELD_OUT_OF_PAGE', { field: name, file, page, pages })
  const [width, height] = sizeOf(type)
  return { file, page: number, x, y, w: w ?? Math.min(width, 100 - x), h: h ?? Math.min(height, 100 - y) }
}

function requireWithin({ x, y, w, h, page, file }: Area, field: string): void {
  const isWithin = x >= -0.01 && y >= -0.01 && w > 0 && h > 0 && x + w <= 100.01 && y + h <= 100.01
  if (!isWithin) throw new Problem('FIELD_OUT_OF_PAGE', { field, file, page, x, y, w, h })
}

function writeSpec(field: FieldTerms, { file, page, x, y, w, h }: Area): FieldSpec {
  const { type, required, readOnly, label, placeholder, options, group, validation, showIf, font } = field
  return {
    ...{ type, file, page, x, y, w, h, required: type === 'heading' ? false : required },
    ...{ readOnly: readOnly || type === 'heading' },
    ...{ label, placeholder, options, group, validation, showIf, font },
  }
}

/** The id of the recipient that a field names; undefined for a heading. */
function findRecipient(
  { recipient, type }: Pick<FieldTerms, 'recipient' | 'type'>,
  recipients: readonly KnownRecipient[],
  index: number,
): string | undefined {
  if (recipient === undefined && (type === 'heading' || recipients.length === 0)) return undefined
  const only = recipients.filter(signs)
  if (recipient === undefined && only.length === 1) return only[0]!.id
  const wanted = typeof recipient === 'string' ? recipient.toLowerCase() : recipient
  const found =
    typeof wanted === 'number'
      ? recipients[wanted]
      : recipients.find(({ id, email }) => wireId(id) === wanted || email?.toLowerCase() === wanted)
  if (!found)
    throw new Problem('RECIPIENT_UNKNOWN', { field: `fields/${index}/recipient`, recipient: recipient ?? null })
  requireActing(found, { field: `fields/${index}/recipient` })
  return found.id
}

function requireActing({ role }: KnownRecipient, hints: object): void {
  if (role === 'viewer' || role === 'cc')
    throw new Problem('RECIPIENT_UNKNOWN', { ...hints, reason: `a ${role} fills nothing in` })
}

function wireId(id: string): string {
  return `rcp_${id.replaceAll('-', '')}`
}

const AUTOMATIC = { required: true, readOnly: false }

/** Fields where tags, printed lines or an appended page say so. Printed lines are given to the signers in turn. */
export function placeAutomatically(
  { places }: FoundPlaces,
  recipients: readonly KnownRecipient[],
  newFieldId: () => string,
): FieldRow[] {
  const signers = recipients.filter(signs)
  return places.flatMap(place => {
    if (place.from === 'anchor') return []
    const { file, page, x, y, w, h, type, label, from } = place
    const owner =
      from === 'automatic'
        ? signers[((place.recipient ?? 1) - 1) % signers.length]
        : recipients[(place.recipient ?? 1) - 1]
    const hints = { text: place.text, recipient: place.recipient ?? 1 }
    if (!owner) throw new Problem('RECIPIENT_UNKNOWN', hints)
    requireActing(owner, hints)
    const spec = { type, file, page, x, y, w, h, ...AUTOMATIC, ...(label !== undefined && { label }) }
    return [{ id: newFieldId(), recipientId: owner.id, spec, value: null }]
  })
}

/** Pairs of fields that lie over each other, which is allowed and seldom meant. */
export function findOverlaps(rows: readonly FieldRow[]): [string, string][] {
  return rows.flatMap((one, index) =>
    rows
      .slice(index + 1)
      .filter(({ spec }) => overlaps(one.spec, spec))
      .map(other => [one.id, other.id] as [string, string]),
  )
}

function overlaps(one: Area, other: Area): boolean {
  if (one.file !== other.file || one.page !== other.page) return false
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h
}
