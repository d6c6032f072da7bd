import { expect, test } from 'vitest'
import { findDecimalMark, parseLocalNumber } from '../../../tasks/formats/numbers/locale.ts'

test('reads numbers as they are written in different countries', () => {
  const cases: [text: string, decimal: '.' | ',', number: string | undefined][] = [
    ['1,234.50', '.', '1234.50'],
    ['1.234,50 €', ',', '1234.50'],
    ['1 234,5', ',', '1234.5'],
    ['1\u202f234\u202f567', ',', '1234567'],
    ["CHF 1'234.50", '.', '1234.50'],
    ['(1,200)', '.', '-1200'],
    ['$(12.5)', '.', '-12.5'],
    ['−3', '.', '-3'],
    ['12-', '.', '-12'],
    ['12.5 %', '.', '12.5'],
    ['.5', '.', '0.5'],
    ['1,234', '.', '1234'],
    ['1,234', ',', '1.234'],
    ['0', '.', '0'],
    ['007', '.', undefined],
    ['12.05.2024', '.', undefined],
    ['1,23', '.', undefined],
    ['n/a', '.', undefined],
    ['3 m', '.', undefined],
    ['', '.', undefined],
  ]
  for (const [text, decimal, number] of cases) expect(parseLocalNumber(text, decimal), text).toBe(number)
})

test('finds the decimal mark that a table uses', () => {
  expect(findDecimalMark(['1.234,50', '12', '1.000'])).toBe(',')
  expect(findDecimalMark(['1,234.50', '1,000'])).toBe('.')
  expect(findDecimalMark(['1.234.567'])).toBe(',')
  expect(findDecimalMark(['1,234', 'x'])).toBe('.')
})
