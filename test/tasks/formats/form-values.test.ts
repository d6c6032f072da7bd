import { expect, test } from 'vitest'
import { typeOfValue } from '../../../tasks/formats/page-forms/field.ts'

test.each([
  '2024-01-02',
  '01/02/24',
  '1. 2. 2024',
  'May 3, 2024',
  '2nd of March 2020',
  '12/MAR/2020',
  '3. Mai 2024',
  '1er janvier 2024',
  '31 DE DICIEMBRE DE 2020',
  '12 lipca 2000',
  '4 srpna 2020',
  '5 мая 2020',
  '12 ΜΑΪΟΥ 2020',
])('%s is a date', value => {
  expect(typeOfValue(value)).toBe('date')
})

test.each(['12 Main 2000', 'Oslo 12 2000', '10 Downing 1234', '12 Rue 75001', '31 April 2020', '2026/13/45'])(
  '%s is no date',
  value => {
    expect(typeOfValue(value)).toBe('text')
  },
)

test('amounts and shares are numbers', () => {
  expect(['1,234.50', '€ 12', '12 %', '(3)'].map(typeOfValue)).toEqual(Array(4).fill('number'))
})
