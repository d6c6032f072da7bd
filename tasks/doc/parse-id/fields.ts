import type { DocumentPage } from '../../formats/document/page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import { type AamvaCard, readAamvaDate } from '../../formats/identity/aamva.ts'
import type { Mrz } from '../../formats/identity/mrz.ts'
import { readBirth, readCountry, readExpiry } from '../../formats/identity/mrz-values.ts'
import { findSpelling } from '../../formats/identity/names.ts'

export const ID_FIELDS = [
  ...([
    'lastName',
    'firstName',
    'middleName',
    'documentNumber',
    'personalNumber',
    'dateOfBirth',
    'dateOfIssue',
  ] as const),
  ...(['dateOfExpiry', 'sex', 'nationality', 'address'] as const),
]

export type IdField = (typeof ID_FIELDS)[number]

export const ID_TYPES = ['passport', 'id-card', 'driving-licence', 'visa', 'residence'] as const

type IdType = (typeof ID_TYPES)[number]

interface IdValue {
  value: string
  raw: string
  confidence: number
  source: 'text-layer' | 'ocr' | 'barcode' | 'model'
  box?: Rect
}

export interface Identity {
  documentType: IdType
  issuingCountry: string
  fields: Partial<Record<IdField, IdValue>>
}

const CHECKED = 0.99
const FAILED = 0.3

/** What a machine readable zone states. Fields with a valid check digit are certain. */
export function describeMrz(mrz: Mrz, page: DocumentPage, box: Rect, now: Date): Identity {
  const read = page.source === 'ocr' ? 0.85 : CHECKED
  const words = page.lines.flatMap(line => line.words.map(({ text }) => text))
  const field = (value: string, raw: string, check?: string): IdValue | undefined => {
    const confidence = check === undefined ? read : mrz.checks[check] ? CHECKED : FAILED
    return value === '' ? undefined : { value, raw, confidence, source: page.source, box }
  }
  const name = (text: string) => field(findSpelling(text, words), text)
  const sex = mrz.sex === 'M' || mrz.sex === 'F' ? mrz.sex : 'X'
  return {
    documentType: chooseType(mrz),
    issuingCountry: readCountry(mrz.issuer),
    fields: keepFound({
      lastName: name(mrz.lastName),
      firstName: name(mrz.firstName),
      documentNumber: field(mrz.documentNumber, mrz.documentNumber, 'documentNumber'),
      personalNumber: field(
        mrz.personalNumber,
        mrz.personalNumber,
        mrz.format === 'TD3' ? 'personalNumber' : undefined,
      ),
      dateOfBirth: field(readBirth(mrz.birth, now), mrz.birth, 'dateOfBirth'),
      dateOfExpiry: field(readExpiry(mrz.expiry, now), mrz.expiry, 'dateOfExpiry'),
      sex: field(sex, mrz.sex),
      nationality: field(readCountry(mrz.nationality), mrz.nationality),
    }),
  }
}

function chooseType({ code }: Mrz): IdType {
  if (code.startsWith('P')) return 'passport'
  if (code.startsWith('V')) return 'visa'
  return /^[ACI]R/.test(code) ? 'residence' : 'id-card'
}

const SEXES: Record<string, string> = { 1: 'M', 2: 'F', M: 'M', F: 'F' }

/** What the barcode of a North American card states. */
export function describeAamva({ kind, elements }: AamvaCard): Identity {
  const field = (value: string | undefined, raw = value): IdValue | undefined =>
    value ? { value, raw: raw ?? value, confidence: 1, source: 'barcode' } : undefined
  const date = (code: string) => field(readAamvaDate(elements[code]), elements[code])
  const [last, first, middle] = (elements.DAA ?? '').split(',')
  const [given, ...others] = (elements.DCT ?? '').split(/[, ]+/)
  const lines = [
    elements.DAG,
    elements.DAH,
    elements.DAI,
    [elements.DAJ, elements.DAK?.replace(/0000$/, '')].join(' ').trim(),
  ]
  return {
    documentType: kind,
    issuingCountry: elements.DCG ?? '',
    fields: keepFound({
      lastName: field(elements.DCS ?? elements.DAB ?? last),
      firstName: field(elements.DAC ?? given ?? first),
      middleName: field(elements.DAD ?? (others.join(' ') || middle)),
      documentNumber: field(elements.DAQ),
      dateOfBirth: date('DBB'),
      dateOfIssue: date('DBD'),
      dateOfExpiry: date('DBA'),
      sex: field(elements.DBC && (SEXES[elements.DBC] ?? 'X'), elements.DBC),
      address: field(lines.filter(line => line).join('\n')),
    }),
  }
}

function keepFound(fields: Partial<Record<IdField, IdValue | undefined>>): Identity['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([, found]) => found !== undefined))
}

/** The fields in which two readings of one document differ. */
export function findMismatches(one: Identity, other: Identity): string[] {
  const plain = (value: string) =>
    value
      .normalize('NFD')
      .replaceAll(/[^\p{L}\d]/gu, '')
      .toUpperCase()
  return ID_FIELDS.filter(name => {
    const [a, b] = [one.fields[name], other.fields[name]]
    return a && b && plain(a.value) !== plain(b.value) && plain(a.raw) !== plain(b.raw)
  })
}
