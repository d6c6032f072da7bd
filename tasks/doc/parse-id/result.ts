import { type TOptional, Type } from 'typebox'
import { Choice, Problem, type Warning } from '#kit'
import { type DocumentProviderName, type HostedIdentity, UNIT_PAGE } from '../../formats/document/hosted.ts'
import type { DocumentPage } from '../../formats/document/page.ts'
import { isValidMrz, type Mrz } from '../../formats/identity/mrz.ts'
import { Box, Confidence, Engine, toBox } from '../schema.ts'
import {
  describeAamva,
  describeMrz,
  findMismatches,
  ID_FIELDS,
  ID_TYPES,
  type Identity,
  type IdField,
} from './fields.ts'
import type { Side } from './side.ts'

const Value = Type.Object({
  value: Type.String({ description: 'A date as YYYY-MM-DD, or less if the day or the month is not known.' }),
  raw: Type.String({ description: 'As it stands in the zone or in the barcode.' }),
  confidence: Confidence,
  source: Choice(['text-layer', 'ocr', 'barcode', 'model']),
  box: Type.Optional(Box),
})

const FIELDS = Object.fromEntries(ID_FIELDS.map(name => [name, Type.Optional(Value)])) as Record<
  IdField,
  TOptional<typeof Value>
>

export const ID_RESULT = Type.Object({
  documentType: Choice(ID_TYPES),
  issuingCountry: Type.String({ description: 'ISO 3166, or a code of ICAO 9303 for organisations.' }),
  fields: Type.Object(FIELDS),
  engine: Engine,
  mrz: Type.Optional(
    Type.Object({
      format: Choice(['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB']),
      lines: Type.Array(Type.String()),
      valid: Type.Boolean({ description: 'All check digits are right.' }),
      checks: Type.Record(Type.String(), Type.Boolean()),
    }),
  ),
  barcode: Type.Optional(
    Type.Object(
      { type: Choice(['aamva']), parsed: Type.Record(Type.String(), Type.String()) },
      { description: 'All elements, by their codes of the AAMVA standard.' },
    ),
  ),
  expired: Type.Union([Type.Boolean(), Type.Null()]),
  mismatches: Type.Array(Type.String(), {
    description: 'Fields that differ between the zone and the barcode, or from what was expected.',
  }),
})

interface Options {
  expected: { documentType?: string; issuingCountry?: string }
  minConfidence: number
  now: Date
  /** What a provider read. */
  hosted?: (HostedIdentity & { engine: DocumentProviderName; warnings: Warning[] }) | undefined
}

/** A barcode has no errors of reading, so it wins over the zone. */
export function describeDocument(sides: readonly Side[], { expected, minConfidence, now, hosted }: Options) {
  const { zone, page } = sides.find(side => side.zone) ?? sides[0]!
  const card = sides.find(side => side.card)?.card
  const byZone = zone && describeMrz(zone.mrz, page, zone.box, now)
  const byCode = card && describeAamva(card)
  const first = byCode ?? byZone ?? (hosted && describeHosted(hosted))
  if (!first) throw new Problem('ID_NOT_FOUND', { detail: 'no machine readable zone, and no barcode of a licence' })
  const fields: Identity['fields'] = { ...hosted?.fields, ...byZone?.fields, ...byCode?.fields }
  const { documentType, issuingCountry } = first
  const unexpected = (['documentType', 'issuingCountry'] as const).filter(
    name => expected[name] !== undefined && expected[name] !== first[name],
  )
  const result = {
    ...{ documentType, issuingCountry, fields: showFields(fields, minConfidence, page) },
    engine: hosted?.engine ?? ('local' as const),
    ...(zone && { mrz: describeZone(zone.mrz) }),
    ...(card && { barcode: { type: 'aamva' as const, parsed: card.elements } }),
    expired: isExpired(fields.dateOfExpiry?.value, now),
    mismatches: [...(byZone && byCode ? findMismatches(byZone, byCode) : []), ...unexpected],
  }
  return { result, warnings: listWarnings(zone, hosted) }
}

function listWarnings(zone: Side['zone'], hosted: Options['hosted']): Warning[] {
  return [...(hosted?.warnings ?? []), ...(zone?.mrz.isNameFull ? [NAME_TRUNCATED] : [])]
}

/** A document that a provider has recognised, and read at least a name or a number of. */
function describeHosted({ documentType, issuingCountry = '', fields }: HostedIdentity): Identity | undefined {
  const isRead = fields.documentNumber !== undefined || fields.lastName !== undefined
  return documentType && isRead ? { documentType, issuingCountry, fields } : undefined
}

function describeZone(mrz: Mrz) {
  const { format, lines, checks } = mrz
  return { format, lines, valid: isValidMrz(mrz), checks }
}

/** A document is valid on the day of its expiry. */
function isExpired(date: string | undefined, now: Date): boolean | null {
  return date === undefined ? null : date < now.toISOString().slice(0, date.length)
}

function showFields(fields: Identity['fields'], minConfidence: number, page: DocumentPage) {
  return Object.fromEntries(
    ID_FIELDS.flatMap(name => {
      const found = fields[name]
      if (!found || found.confidence < minConfidence) return []
      const { box, ...value } = found
      return [[name, { ...value, ...(box && { box: toBox(box, value.source === 'model' ? UNIT_PAGE : page) }) }]]
    }),
  )
}

const NAME_TRUNCATED: Warning = {
  code: 'NAME_TRUNCATED',
  message: 'The names fill their field in the machine readable zone, so that some of them may be missing.',
}
