import { expect, test } from 'vitest'
import { findRightToLeft, orderForReading } from '../../../tasks/formats/words/direction.ts'

test.each([
  ['Total due 12', 'Total due 12'],
  ['البحر شركة', 'شركة البحر'],
  ['القاهرة 12 شارع', 'شارع 12 القاهرة'],
  ['Customer: of the للتجارة النهر شركة', 'Customer: of the شركة النهر للتجارة'],
  ['1 البحر شركة', 'شركة البحر 1'],
  ['الحديثة Acme Trading شركة كبيرة', 'كبيرة شركة Acme Trading الحديثة'],
  ['3 10.00', '3 10.00'],
  ['10.00 2 البحر شركة', 'شركة البحر 2 10.00'],
  ['شركة Acme 12 ( النهر البحر', 'البحر النهر ( Acme 12 شركة'],
  ['to نهر 12 بحر - today', 'to بحر 12 نهر - today'],
])('%s, as shown from left to right, is read as %s', (shown, read) => {
  const words = shown.split(' ').map(text => ({ text }))
  const isLineRightToLeft = findRightToLeft(words.map(({ text }) => text)) === true
  expect(
    orderForReading(words, isLineRightToLeft)
      .map(({ text }) => text)
      .join(' '),
  ).toBe(read)
})
