import { expect, test } from 'vitest'
import {
  collectFiles,
  computeAmount,
  computeMaxAmount,
  type Facts,
  findCeiling,
  findPriceRange,
  findTariff,
  type InputFile,
  LARGEST_FACTS,
  markInputFile,
  type Price,
  Problem,
  perCall,
  perPage,
  perStartedBytes,
  perStartedMegapixels,
  quoteOf,
  tariffOf,
  withRates,
} from '#kit'

function file(sizeBytes: number, facts: Facts = {}): InputFile {
  return markInputFile({
    path: '',
    type: 'application/octet-stream',
    sizeBytes,
    name: undefined,
    facts,
    bytes: async () => new Uint8Array(sizeBytes),
    chunks: async function* () {},
  })
}

test('a flat price does not depend on the input', () => {
  const price = perCall<unknown>('0.002')
  expect(computeAmount(price, price.units({ files: [file(1e9)] }))).toBe(2_000n)
})

test('counts the pages of all files, within the price floor and ceiling', () => {
  const price = perPage<unknown>('0.001')
  const cost = (...pages: number[]) =>
    computeAmount(price, price.units({ files: pages.map(count => file(1, { pages: count })) }))
  expect([cost(1), cost(3, 4), cost(0), cost(5000)]).toEqual([1_000n, 7_000n, 1_000n, 1_000_000n])
})

test('an operation may count its own pages', () => {
  const price = perPage<{ burst: number }>('0.001', ({ burst }) => burst)
  expect(computeAmount(price, price.units({ burst: 12 }))).toBe(12_000n)
})

test.each([
  [1000, 1000, 1, 2_000n],
  [3000, 1000, 1, 2_000n],
  [3001, 1000, 1, 4_000n],
  [1000, 1000, 10, 8_000n],
  [0, 0, 1, 2_000n],
])('%i by %i pixels in %i frames cost by started 3 megapixels', (width, height, frames, micros) => {
  const price = perStartedMegapixels<unknown>(3, '0.002')
  expect(computeAmount(price, price.units({ file: file(1, { width, height, frames }) }))).toBe(micros)
})

interface Printed {
  color?: boolean
  copies?: number
}

const printing: Price<Printed> = {
  ...perCall<Printed>('0.001', [
    {
      when: '`copies` are given',
      factor: 2,
      applies: ({ copies }) => copies !== undefined,
      unit: 'copy',
      units: ({ copies }) => copies!,
      maxUnits: 50,
    },
    { when: 'in colour', factor: 3, applies: ({ color }) => color === true },
  ]),
}

test.each([
  [{}, { unit: 'call', units: 1, rateMicros: 1_000n }, 1_000n],
  [{ color: true }, { unit: 'call', units: 1, rateMicros: 3_000n, when: 'in colour' }, 3_000n],
  [{ color: true, copies: 7 }, { unit: 'copy', units: 7, rateMicros: 2_000n, when: '`copies` are given' }, 14_000n],
])('of a price with variants, %o pays by the first that applies', (input, tariff, micros) => {
  const found = findTariff(printing, input)
  expect([found, computeMaxAmount(found)]).toEqual([{ baseMicros: 0n, expectedUnits: tariff.units, ...tariff }, micros])
  expect(computeMaxAmount(findTariff(printing, input, { rateMicros: 5_000n }))).toBe(micros * 5n)
  expect(tariffOf(quoteOf(found))).toEqual(found)
})

test('the range of a price covers its variants and the rate of the operator', () => {
  expect(findPriceRange(printing)).toEqual({ min: 1_000n, max: 100_000n })
  expect(findPriceRange(withRates(printing, { rateMicros: 2_000n }))).toEqual({ min: 2_000n, max: 200_000n })
  expect(findPriceRange(perCall('0.005'))).toEqual({ min: 5_000n, max: 5_000n })
  expect(findPriceRange(perPage('0.003'))).toEqual({ min: 3_000n, max: 1_000_000n })
})

test('a quote tells what is held and what is expected', () => {
  const price: Price<number> = { ...perCall('0.002'), unit: 'page', units: pages => pages, expectedUnits: () => 3 }
  expect(quoteOf(findTariff(price, 10))).toMatchObject({ amountMicros: '20000', atMost: '20000', expected: '6000' })
  expect(quoteOf(findTariff(price, 2))).toMatchObject({ atMost: '4000', expected: '4000', capped: false })
  expect(quoteOf(findTariff(price, 501))).toMatchObject({ atMost: '1000000', ceiling: '1000000', capped: true })
})

test('the ceiling of a call holds for whatever its files contain', () => {
  const largest = file(1, LARGEST_FACTS)
  const selected = perPage<{ pages: number; file: InputFile }>('0.001', ({ pages, file: { facts } }) => {
    if (pages > facts.pages!) throw new Problem('BAD_RANGE')
    return pages
  })
  expect(findCeiling(selected, { file: largest, pages: 3 })).toBe(3_000n)
  expect(findCeiling(selected, { file: largest, pages: 5_000 })).toBe(1_000_000n)
  expect(findCeiling(perStartedMegapixels<unknown>(25, '0.001'), { file: largest })).toBe(8_000n)
  expect(findCeiling(perPage<unknown>('0.001'), { file: largest, note: 'x'.repeat(2_000) })).toBe(1_000_000n)
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

test("an operator's rate replaces the declared one, and the base stays", () => {
  const price = perStartedBytes<unknown>({ base: '0.001', covered: 1, step: 1, dollars: '0.001' })
  expect(computeAmount(price, 3)).toBe(4_000n)
  expect(computeAmount({ ...price, rateMicros: 5_000n }, 3)).toBe(16_000n)
  expect(computeAmount(price, -1)).toBe(1_000n)
  expect(computeAmount(price, 1.2)).toBe(3_000n)
})

test('finds files at any depth, and nothing else', () => {
  const [one, two] = [file(1), file(2)]
  const input = { a: { deep: [one, null] }, b: two, bytes: new Uint8Array(3), text: 'x', count: 1 }
  expect(collectFiles(input)).toEqual([one, two])
})

test('takes no object of a caller for a file, whatever its fields are called', () => {
  const price = perStartedBytes<unknown>({ base: '0.001', covered: 1, step: 1, dollars: '0.001' })
  const lookalike = { path: '/etc/passwd', type: 'text/csv', name: 'a', facts: { pages: -9 }, sizeBytes: -1e9 }
  expect(price.units({ file: file(5), where: lookalike })).toBe(4)
  expect(perPage<unknown>('0.001').units({ data: [lookalike, { facts: null, sizeBytes: 'x' }] })).toBe(0)
})
