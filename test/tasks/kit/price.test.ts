import { expect, test } from 'vitest'
import {
  amountOf,
  type Facts,
  filesIn,
  type InputFile,
  perCall,
  perPage,
  perStartedBytes,
  perStartedMegapixels,
} from '#kit'

function file(sizeBytes: number, facts: Facts = {}): InputFile {
  return {
    path: '',
    type: 'application/octet-stream',
    sizeBytes,
    name: undefined,
    facts,
    bytes: async () => new Uint8Array(sizeBytes),
    chunks: async function* () {},
  }
}

test('a call costs the same whatever it brings', () => {
  const price = perCall<unknown>('0.002')
  expect(amountOf(price, price.units({ files: [file(1e9)] }))).toBe(2_000n)
})

test('pages of all files are counted, at least the floor and at most the ceiling', () => {
  const price = perPage<unknown>('0.001')
  const cost = (...pages: number[]) =>
    amountOf(price, price.units({ files: pages.map(count => file(1, { pages: count })) }))
  expect([cost(1), cost(3, 4), cost(0), cost(5000)]).toEqual([1_000n, 7_000n, 1_000n, 1_000_000n])
})

test('an operation may count its own pages', () => {
  const price = perPage<{ burst: number }>('0.001', ({ burst }) => burst)
  expect(amountOf(price, price.units({ burst: 12 }))).toBe(12_000n)
})

test.each([
  [1000, 1000, 1, 2_000n],
  [3000, 1000, 1, 2_000n],
  [3001, 1000, 1, 4_000n],
  [1000, 1000, 10, 8_000n],
  [0, 0, 1, 2_000n],
])('%i by %i pixels in %i frames cost by started 3 megapixels', (width, height, frames, micros) => {
  const price = perStartedMegapixels<unknown>(3, '0.002')
  expect(amountOf(price, price.units({ file: file(1, { width, height, frames }) }))).toBe(micros)
})

test('pixels may be paid several times over', () => {
  const price = perStartedMegapixels<{ sizes: number }>(1, '0.001', ({ sizes }) => sizes)
  expect(price.units({ sizes: 4 })).toBe(4)
})

test.each([
  [0, 0],
  [100, 0],
  [101, 1],
  [110, 1],
  [111, 2],
])('%i bytes are %i started steps after the first', (sizeBytes, units) => {
  const options = { base: '0.001', covered: 100, step: 10, dollars: '0.001' }
  expect(perStartedBytes<unknown>(options).units({ file: file(sizeBytes) })).toBe(units)
  expect(perStartedBytes<unknown>(options, () => sizeBytes).units({})).toBe(units)
})

test("an operator's rate takes the place of the declared one, the base stays", () => {
  const price = perStartedBytes<unknown>({ base: '0.001', covered: 1, step: 1, dollars: '0.001' })
  expect(amountOf(price, 3)).toBe(4_000n)
  expect(amountOf(price, 3, 5_000n)).toBe(16_000n)
  expect(amountOf(price, -1)).toBe(1_000n)
  expect(amountOf(price, 1.2)).toBe(3_000n)
})

test('files are found wherever they stand, and nothing else is taken for one', () => {
  const [one, two] = [file(1), file(2)]
  const input = { a: { deep: [one, null] }, b: two, bytes: new Uint8Array(3), text: 'x', count: 1 }
  expect(filesIn(input)).toEqual([one, two])
})
