import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { drawPage } from '../../support/pdf/ruled.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
const folder = mkdtempSync(join(tmpdir(), 'form-'))
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await pools[Symbol.asyncDispose]()
})

interface Field {
  key: string
  value: string
  type: string
  checked?: boolean
  source: string
  confidence: number
  wanted?: string
  valueBox?: { x: number; width: number }
}

async function extract(body: Record<string, unknown>) {
  const answer = await runJob(pools, 'doc.extract-form', { languages: ['eng'], ...body }, { limitSeconds: 120 })
  return { ...answer, fields: answer.result.fields as Field[] }
}

type Line = [number, number, number, number]
const square = (x: number, y: number): Line[] => [
  [x, y, x + 10, y],
  [x, y + 10, x + 10, y + 10],
  [x, y, x, y + 10],
  [x + 10, y, x + 10, y + 10],
]
const cross = (x: number, y: number): Line[] => [
  [x, y, x + 10, y + 10],
  [x + 10, y, x, y + 10],
]
const tick = (x: number, y: number): Line[] => [
  [x + 2, y + 5, x + 5, y + 9],
  [x + 5, y + 9, x + 10, y],
]

const FORM = drawPage({
  size: [595, 842],
  texts: [
    [20, 30, 'Registration of a boat', 14],
    [20, 60, 'Name: Ada Byron'],
    [200, 60, 'Date: 12.05.2026'],
    [20, 80, 'Harbour'],
    [75, 79, 'Port Elsa'],
    [20, 100, 'Remarks:'],
    [20, 120, 'Owner:'],
    [20, 133, 'Lighthouse Ltd'],
    [38, 160, 'Sail boat'],
    [118, 160, 'Motor boat'],
    [218, 160, 'Other'],
    [20, 185, '[x] Insured'],
    [100, 185, '[ ] Leased'],
    [20, 210, 'Length: 12,5'],
    [120, 210, 'Name: Second owner'],
    [20, 260, 'Signature'],
  ],
  lines: [
    ...([
      [70, 82, 200, 82],
      [75, 262, 250, 262],
    ] as Line[]),
    ...[...square(22, 151), ...square(102, 151), ...square(202, 151), ...cross(102, 151), ...tick(202, 151)],
  ],
})

const describe = ({ key, value }: Field) => `${key} = ${value}`
const PAIRS = ['Name = Ada Byron', 'Date = 12.05.2026', 'Harbour = Port Elsa', 'Remarks = ', 'Owner = Lighthouse Ltd']
const CHECKS = ['Sail boat = false', 'Motor boat = true', 'Other = true', 'Insured = true']
const REST = ['Length = 12,5', 'Name = Second owner', 'Signature = ']

test.each([
  ['5-Mar-2026', 'date'],
  ['5th March 2026', 'date'],
  ['5 de marzo de 2026', 'date'],
  ['2026/3/5', 'date'],
  ['31-Feb-2026', 'text'],
  ['12-box-2026', 'text'],
  ['until 5-Mar-2026', 'text'],
])('takes the value %s for a %s', async (value, type) => {
  const file = drawPage({ size: [595, 300], texts: [[20, 40, `Due: ${value}`]], lines: [] })
  const { fields } = await extract({ file })
  expect(fields.map(field => [field.value, field.type])).toEqual([[value, type]])
})

test('finds labels with their values, check boxes and signatures', async () => {
  const { fields, result, chargedMicros } = await extract({ file: FORM })
  expect(fields.map(describe)).toEqual([...PAIRS, ...CHECKS, 'Leased = false', ...REST])
  expect(fields.slice(0, 2).map(({ type, source }) => [type, source])).toEqual([
    ['text', 'text-layer'],
    ['date', 'text-layer'],
  ])
  expect(fields.find(({ key }) => key === 'Other')).toMatchObject({ type: 'checkbox', checked: true })
  expect(fields.at(-1)).toMatchObject({ type: 'signature', valueBox: { x: expect.closeTo(75 / 595, 2) } })
  expect(result).toMatchObject({ source: 'text-layer', signatures: [{ box: { x: expect.closeTo(75 / 595, 2) } }] })
  expect(chargedMicros).toBe(40000n)
  const some = await extract({ file: FORM, include: ['checkboxes'] })
  expect(some.fields.map(describe)).toEqual([...CHECKS, 'Leased = false'])
})

test('finds the wanted fields', async () => {
  const { fields, result } = await extract({ file: FORM, keys: ['remark', 'Full name', 'Harbor', 'Tonnage'] })
  expect(fields.map(field => [field.wanted, describe(field)])).toEqual([
    ['remark', 'Remarks = '],
    ['Harbor', 'Harbour = Port Elsa'],
  ])
  expect(result.missing).toEqual(['Full name', 'Tonnage'])
})

test('reads a scan', async () => {
  const scan = join(folder, 'scan')
  writeFileSync(`${scan}.pdf`, FORM)
  execFileSync('pdftoppm', ['-r', '200', '-gray', '-png', '-singlefile', `${scan}.pdf`, scan])
  const { fields, result } = await extract({ file: readFileSync(`${scan}.png`) })
  expect(result.source).toBe('ocr')
  expect(fields.map(describe)).toEqual(expect.arrayContaining([...PAIRS.slice(0, 3), ...CHECKS, ...REST.slice(1)]))
})

test('reads the form fields of a PDF exactly', async () => {
  const { fields, result } = await extract({ file: readFileSync('tasks/samples/order-form.pdf'), page: 1 })
  expect(result.source).toBe('form')
  expect(fields.map(describe)).toEqual([
    ...['Who orders = ', 'notes = ', 'zip = ', 'express = false', 'payment = ', 'size = ', 'extras = ', 'total = 12'],
  ])
  expect(fields.every(({ confidence, source }) => confidence === 1 && source === 'form')).toBe(true)
})

test('tells what it cannot read', async () => {
  const blank = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
  expect(await extract({ file: blank })).toMatchObject({ fields: [], warnings: ['NO_TEXT_FOUND'] })
  const cases: [Record<string, unknown>, string][] = [
    [{ file: readFileSync('tasks/samples/order-form.pdf') }, 'TOO_MANY_PAGES'],
    [{ file: FORM, page: 2 }, 'BAD_RANGE'],
    [{ file: FORM.subarray(0, 300) }, 'PDF_PARSE_FAILED'],
    [{ file: blank.subarray(0, 60) }, 'IMAGE_DECODE_FAILED'],
  ]
  for (const [body, code] of cases) await expect(extract(body), code).rejects.toMatchObject({ code })
})
