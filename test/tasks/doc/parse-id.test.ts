import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { readAamvaDate } from '../../../tasks/formats/identity/aamva.ts'
import { findMrz, isValidMrz } from '../../../tasks/formats/identity/mrz.ts'
import { typesetPages } from '../../support/pdf/typeset.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

interface Identity {
  documentType: string
  issuingCountry: string
  fields: Record<string, { value: string; raw: string; confidence: number; source: string; box?: object }>
  mrz?: { format: string; valid: boolean; lines: string[]; checks: Record<string, boolean> }
  barcode?: { type: string; parsed: Record<string, string> }
  expired: boolean | null
  mismatches: string[]
}

async function parse(body: Record<string, unknown>) {
  const { result, ...rest } = await runJob(pools, 'doc.parse-id', body, { limitSeconds: 60 })
  return { ...(result as unknown as Identity), ...rest }
}

const plain = ({ fields }: Identity) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]))

/** The specimens of ICAO 9303, and one with a long number. */
const TD3 = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10']
const TD2 = ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6']
const TD1 = ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<']
const TD1_LONG = ['I<UTOD23145890<7349<<<<<<<<<<<', '3407127M9507122UTO<<<<<<<<<<<2', 'STEVENSON<<PETER<JOHN<<<<<<<<<']
const MRVA = ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L8988901C4XXX4009078F96121096ZE184226B<<<<<<']
const MRVB = ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<']

test.each([
  ['TD3', TD3, { documentNumber: 'L898902C3', personalNumber: 'ZE184226B', nationality: 'UTO', sex: 'F' }],
  ['TD2', TD2, { documentNumber: 'D23145890', personalNumber: '', lastName: 'ERIKSSON', firstName: 'ANNA MARIA' }],
  ['TD1', TD1, { documentNumber: 'D23145890', birth: '740812', expiry: '120415', isNameFull: false }],
  ['TD1', TD1_LONG, { documentNumber: 'D23145890734', lastName: 'STEVENSON' }],
  ['MRVA', MRVA, { documentNumber: 'L8988901C', nationality: 'XXX' }],
  ['MRVB', MRVB, { documentNumber: 'L8988901C', birth: '400907' }],
] as const)('reads a zone of %s', (format, lines, expected) => {
  const { mrz, first } = findMrz(['REPUBLIC OF UTOPIA', ...lines])!
  expect([mrz.format, first, isValidMrz(mrz)]).toEqual([format, 1, true])
  expect(mrz).toMatchObject(expected)
})

test('corrects what OCR confuses, by the check digits', () => {
  const read = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<c<<KK<<', 'L898902C36UT074O8I22F12041592ZE184226B<<<<<10']
  const { mrz } = findMrz(read)!
  expect([isValidMrz(mrz), mrz.nationality, mrz.firstName]).toEqual([true, 'UTO', 'ANNA MARIA'])
  const wrong = findMrz([TD3[0]!, TD3[1]!.replace('7408122', '7508122')])!.mrz
  expect(wrong.checks).toEqual({
    ...{ documentNumber: true, dateOfBirth: false, dateOfExpiry: true, personalNumber: true, composite: false },
  })
  expect(findMrz(['P<UTO', 'nothing', ...Array(50).fill('<'.repeat(44))])).toBeUndefined()
})

test('reads a photo, also one that lies on its side', async () => {
  const photo = readFileSync('tasks/samples/passport.png')
  const upright = await parse({ file: photo })
  expect(upright).toMatchObject({ documentType: 'passport', issuingCountry: 'UTO', expired: true, mismatches: [] })
  expect(upright.mrz).toMatchObject({ format: 'TD3', valid: true })
  expect(plain(upright)).toEqual({
    ...{ lastName: 'ERIKSSON', firstName: 'ANNA MARIA', documentNumber: 'L898902C3', personalNumber: 'ZE184226B' },
    ...{ dateOfBirth: '1974-08-12', dateOfExpiry: '2012-04-15', sex: 'F', nationality: 'UTO' },
  })
  expect(upright.fields.dateOfBirth).toMatchObject({ raw: '740812', confidence: 0.99, source: 'ocr' })
  expect(upright.chargedMicros).toBe(30_000n)
  const turned = await parse({ file: await sharp(photo).rotate(90).png().toBuffer() })
  expect(turned.mrz!.valid).toBe(true)
})

const zonePage = (lines: readonly string[], more: string[] = []) =>
  typesetPages([
    [
      ...more.map((text, at) => [20, 40 + at * 20, text] as [number, number, string]),
      ...lines.map((text, at) => [20, 300 + at * 16, text, { font: 'M', size: 9 }] as never),
    ],
  ])

test('reads cards with their back, and says what differs', async () => {
  const back = zonePage(TD1)
  const file = zonePage([], ['IDENTITY CARD', 'Utopia'])
  const card = await parse({ file, back, documentType: 'passport', country: 'UTO', minConfidence: 0.9 })
  expect(card).toMatchObject({ documentType: 'id-card', mismatches: ['documentType'] })
  expect(card.fields.documentNumber).toMatchObject({ source: 'text-layer', value: 'D23145890' })
  expect((await parse({ file: back, country: 'FRA' })).mismatches).toEqual(['issuingCountry'])
})

test('names have the spelling of the document, and centuries that are possible', async () => {
  const lines = ['P<D<<MUELLER<<JOERG<<<<<<<<<<<<<<<<<<<<<<<<<', 'C01X00T478D<<0502282M3502283<<<<<<<<<<<<<<<6']
  const passport = await parse({ file: zonePage(lines, ['Reisepass', 'M\\303LLER']) })
  expect(passport).toMatchObject({ issuingCountry: 'DEU', expired: false })
  expect(plain(passport)).toMatchObject({ dateOfBirth: '2005-02-28', dateOfExpiry: '2035-02-28', nationality: 'DEU' })
})

const AAMVA = [
  '@\n\u001e\rANSI 636014040002DL00410278ZC03190008DLDAQD1234562',
  ...['DCSSAMPLE', 'DDEN', 'DACALEXANDER', 'DDFN', 'DADJ', 'DDGN', 'DCAC', 'DBD06042024', 'DBB12251989', 'DBA12252034'],
  ...[
    'DBC1',
    'DAU068 in',
    'DAG123 MAIN STREET',
    'DAISACRAMENTO',
    'DAJCA',
    'DAK958180000',
    'DCF83D9BN217QO983B1',
    'DCGUSA',
  ],
].join('\n')

test('reads the barcode of a licence', async () => {
  const { bytes } = await runJob(pools, 'codes.barcode', { type: 'pdf417', text: AAMVA, scale: 3 })
  const licence = await parse({ file: zonePage([], ['DRIVER LICENSE']), back: bytes, documentType: 'driving-licence' })
  expect(licence).toMatchObject({
    documentType: 'driving-licence',
    issuingCountry: 'USA',
    expired: false,
    mismatches: [],
  })
  expect(plain(licence)).toEqual({
    ...{ lastName: 'SAMPLE', firstName: 'ALEXANDER', middleName: 'J', documentNumber: 'D1234562', sex: 'M' },
    ...{ dateOfBirth: '1989-12-25', dateOfIssue: '2024-06-04', dateOfExpiry: '2034-12-25' },
    address: '123 MAIN STREET\nSACRAMENTO\nCA 95818',
  })
  expect(licence.barcode!.parsed).toMatchObject({ DCF: '83D9BN217QO983B1' })
  expect(licence.fields.lastName).toEqual({ value: 'SAMPLE', raw: 'SAMPLE', confidence: 1, source: 'barcode' })
})

test('dates of both countries are told apart', () => {
  expect(['12251989', '19891225', '02301989', ''].map(readAamvaDate)).toEqual([
    '1989-12-25',
    '1989-12-25',
    undefined,
    undefined,
  ])
})

test('finds nothing where nothing is', async () => {
  const blank = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  for (const file of [blank, readFileSync('tasks/samples/order-form.pdf')])
    await expect(parse({ file, page: 1 })).rejects.toMatchObject({ code: 'ID_NOT_FOUND' })
  await expect(parse({ file: blank.subarray(0, 50) })).rejects.toMatchObject({ code: 'IMAGE_DECODE_FAILED' })
  const letter = readFileSync('tasks/samples/letter.pdf')
  await expect(parse({ file: blank, back: letter })).rejects.toMatchObject({ code: 'TOO_MANY_PAGES' })
})
