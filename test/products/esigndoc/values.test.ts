import { expect, test } from 'vitest'
import '../../../tasks/products/index.ts'
import { readTypedMark } from '../../../tasks/products/esigndoc/mark.ts'
import { completeValues, readValues, requireFillable, requireValues } from '../../../tasks/products/esigndoc/values.ts'

const PLACE = { file: 0, page: 1, x: 1, y: 1, w: 9, h: 3, required: true, readOnly: false, value: null }
const FIELDS = [
  { ...PLACE, id: 'breed', type: 'text', showIf: { field: 'kind', equals: 'dog' } },
  { ...PLACE, id: 'kind', type: 'text', showIf: { field: 'pet', equals: true } },
  { ...PLACE, id: 'pet', type: 'checkbox', required: false },
  { ...PLACE, id: 'reason', type: 'text', required: false, showIf: { field: 'kind', equals: false } },
] as const
const IDA = { name: 'Ida', email: null, today: '2026-12-31' }

test('what was filled in below a field that is not asked for any more does not come into the document', () => {
  const given = { pet: false, kind: 'dog', breed: 'Collie', reason: 'none' }
  const values = completeValues(FIELDS, given, IDA)
  expect(values).toEqual({ pet: false, kind: null, breed: null, reason: 'none' })
  requireValues(FIELDS, values)
  expect(completeValues(FIELDS, { ...given, pet: true }, IDA)).toEqual({ ...given, pet: true, reason: null })
})

test('fields that ask for each other do not hang', () => {
  const [one, other] = FIELDS
  const ring = [
    { ...one, id: 'kind', showIf: { field: 'breed', equals: 'x' } },
    { ...other, id: 'breed', showIf: { field: 'kind', equals: 'x' } },
  ]
  expect(completeValues(ring, { kind: 'x', breed: 'x' }, IDA)).toEqual({ kind: 'x', breed: 'x' })
})

test.each([
  [undefined, '2026-12-31'],
  ['Date:', '2026-12-31'],
  ['Datum', '2026-12-31'],
  ['Signed on', '2026-12-31'],
  ['Datum der Unterschrift', '2026-12-31'],
  ['Date of birth', null],
  ['First day of work', null],
  ['Geburtsdatum', null],
])('a date with the label %j that is left blank is %j', (label, value) => {
  const field = { ...PLACE, id: 'day', type: 'date', label } as const
  const values = completeValues([field], {}, IDA)
  expect(values).toEqual({ day: value })
  if (value === null)
    expect(() => requireValues([field], values)).toThrow(expect.objectContaining({ code: 'FIELD_REQUIRED' }))
})

test('a number that nobody could fill in is not sent', () => {
  const age = { ...PLACE, id: 'age', type: 'number', owner: 'Ida', validation: { min: 18, max: 17 } } as const
  expect(() => requireFillable([age])).toThrow(expect.objectContaining({ code: 'FIELD_INVALID' }))
  requireFillable([{ ...age, validation: { min: 18, max: 18 } }])
})

test('emoji, for which documents have no font, are refused and not sealed as boxes', () => {
  const note = { id: 'note', type: 'text', value: null } as never
  expect(() => readValues([note], { note: 'Yes 🎉' })).toThrow(
    expect.objectContaining({ code: 'FIELD_INVALID', hints: expect.objectContaining({ field: 'note', emoji: '🎉' }) }),
  )
  expect(() => readTypedMark('Ida 🦊')).toThrow(expect.objectContaining({ code: 'FIELD_INVALID' }))
  expect(readTypedMark('Ida ★ 伊达 إيدا')).toBe('Ida ★ 伊达 إيدا')
})
