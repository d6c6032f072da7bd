import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clampPrice, formatUsd, PRICE_CEILING, PRICE_FLOOR, usd } from '#kit'

test.each([
  ['0.001', 1_000n],
  ['1', 1_000_000n],
  ['0.000001', 1n],
  ['12.5', 12_500_000n],
  ['999999999999.999999', 999_999_999_999_999_999n],
  ['0', 0n],
])('reads %s USD as %s micros', (text, micros) => {
  expect(usd(text)).toBe(micros)
})

test.each(['', '-1', '1.', '.5', '1e3', '0.0000001', '1,5', ' 1', '0x10', '1000000000000'])('rejects %j', text => {
  expect(() => usd(text)).toThrow(RangeError)
})

test.each([
  [0n, '0'],
  [1n, '0.000001'],
  [1_000_000n, '1'],
  [-1_500_000n, '-1.5'],
  [-1n, '-0.000001'],
])('writes %s micros as %s', (micros, text) => {
  expect(formatUsd(micros)).toBe(text)
})

test('reads back what it wrote, to the micro', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), micros => {
      expect(usd(formatUsd(micros))).toBe(micros)
    }),
  )
})

test('a price is never below the floor nor above the ceiling', () => {
  expect(PRICE_FLOOR).toBe(usd('0.001'))
  expect(PRICE_CEILING).toBe(usd('1.00'))
  expect([0n, -5n, 1_000n, 999_999n, 1_000_001n].map(clampPrice)).toEqual([
    1_000n,
    1_000n,
    1_000n,
    999_999n,
    1_000_000n,
  ])
})
