import { expect, test } from 'vitest'
import { readNumber } from '../../../../tasks/engines/language/extract/amounts.ts'
import { extractByPattern } from '../../../../tasks/engines/language/extract/by-pattern.ts'

test.each([
  ['0.125', 0.125],
  ['-0.125', -0.125],
  ['1.085', 1.085],
  ['7.389', 7.389],
  ['1,234', 1234],
  ['1,234.50 EUR', 1234.5],
  ['1.234,50', 1234.5],
  ['1.234.567', 1_234_567],
  ['12,5 %', 12.5],
  ['0,125', 0.125],
  ["CHF 1'234.50", 1234.5],
  ['-$12.50', -12.5],
  ['$-12.50', -12.5],
  ['($7.00)', -7],
  ['\u22125', -5],
  ['5.00-', -5],
  ['INV-2041', 2041],
  ['1e3', 1000],
  ['12345678901234567890', undefined],
  ['none', undefined],
])('reads %s', (text, number) => {
  expect(readNumber(text, { allowsFraction: true, decimal: '.' })).toBe(number)
})

test('the other numbers of the text tell whether a point groups', async () => {
  const schema = { properties: { sum: { type: 'number', 'x-label': 'Summe' } } }
  const find = async () => []
  expect((await extractByPattern('Netto: 12,50\nSumme: 1.234', schema, find)).data).toEqual({ sum: 1234 })
  expect((await extractByPattern('Net: 12.50\nSumme: 1.234', schema, find)).data).toEqual({ sum: 1.234 })
})

test('keeps signs of amounts and brackets of addresses', async () => {
  const find = async () => []
  const read = async (text: string, format: string) =>
    (await extractByPattern(text, { properties: { v: { type: 'string', format } } }, find)).data
  expect(await read('Fee -$5 due', 'currency')).toEqual({ v: '-$5' })
  expect(await read('Balance ($7.00) due', 'currency')).toEqual({ v: '($7.00)' })
  expect(await read('Rate $0.125 each', 'currency')).toEqual({ v: '$0.125' })
  const address = 'https://en.wikipedia.org/wiki/Rust_(programming_language)'
  expect(await read(`See ${address}.`, 'uri')).toEqual({ v: address })
  expect(await read('(see https://a.example/b)', 'uri')).toEqual({ v: 'https://a.example/b' })
})
