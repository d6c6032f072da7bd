import { expect, test } from 'vitest'
import { findValue } from '../../../../tasks/engines/language/extract/evidence.ts'

test.each([
  ['/rent', '/rent'],
  ['rent', '/rent'],
  ['$.items[1].price', '/items/1/price'],
  ['/data/items/0', '/items/0'],
  ['/a~1b', '/a~1b'],
  ['/city', undefined],
  ['/none', undefined],
  ['/items/2', undefined],
  ['/constructor', undefined],
  ['', undefined],
])('the path %j of a quote leads to %j', (path, pointer) => {
  const data = { rent: 1_250, city: null, items: [{ price: 1 }, { price: 2 }], 'a/b': true }
  expect(findValue(data, path)).toBe(pointer)
})
