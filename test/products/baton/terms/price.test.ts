import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PRICE_CEILING, PRICE_FLOOR } from '#kit'
import { quoteAddition, quoteShape } from '../../../../tasks/products/baton/price.ts'
import { resolveBaton } from '../../../../tasks/products/baton/resolve.ts'
import { type BatonShape, TIER_SHAPES, TIERS } from '../../../../tasks/products/baton/tiers.ts'

const RATES = {
  ...{ base: 1_000n, storageGibDay: 3_000n, egressGib: 100_000n, thousandWrites: 1_000n, thousandReads: 100n },
  witness: 50_000n,
}
const DIMENSIONS = ['sizeBytes', 'durationSeconds', 'egressBytes', 'writes', 'reads'] as const

const amount = (max: bigint) => fc.bigInt({ min: 0n, max })
const shapes: fc.Arbitrary<BatonShape> = fc.record({
  sizeBytes: amount(2n ** 40n),
  durationSeconds: amount(10n ** 9n),
  egressBytes: amount(2n ** 40n),
  writes: amount(10n ** 9n),
  reads: amount(10n ** 9n),
})
const plus = (one: BatonShape, other: BatonShape) =>
  Object.fromEntries(DIMENSIONS.map(name => [name, one[name] + other[name]])) as unknown as BatonShape
const fresh = ({ sizeBytes, durationSeconds }: BatonShape) => ({ sizeBytes, remainingSeconds: durationSeconds })

test('more of any dimension never costs less', () => {
  fc.assert(
    fc.property(shapes, fc.constantFrom(...DIMENSIONS), amount(2n ** 40n), (shape, dimension, more) => {
      const larger = { ...shape, [dimension]: shape[dimension] + more }
      expect(quoteShape(larger, RATES).amountMicros >= quoteShape(shape, RATES).amountMicros).toBe(true)
    }),
  )
})

test('a small baton that is added to costs at least as much as a large one', () => {
  fc.assert(
    fc.property(shapes, shapes, (small, addition) => {
      const inParts = quoteShape(small, RATES).amountMicros + quoteAddition(fresh(small), addition, RATES).amountMicros
      const atOnce = quoteShape(plus(small, addition), RATES).amountMicros
      expect(inParts >= atOnce && inParts - atOnce <= 4n).toBe(true)
    }),
  )
})

test('two additions cost at least as much as one', () => {
  fc.assert(
    fc.property(shapes, shapes, shapes, (baton, one, other) => {
      const first = quoteAddition(fresh(baton), one, RATES).amountMicros
      const second = quoteAddition(fresh(plus(baton, one)), other, RATES).amountMicros
      expect(first + second >= quoteAddition(fresh(baton), plus(one, other), RATES).amountMicros).toBe(true)
    }),
  )
})

test('what is added later to a baton that ends at the same time costs less', () => {
  const addition = { ...TIER_SHAPES.standard, durationSeconds: 0n }
  const early = quoteAddition({ sizeBytes: 1n, remainingSeconds: 1_000_000n }, addition, RATES)
  const late = quoteAddition({ sizeBytes: 1n, remainingSeconds: 10n }, addition, RATES)
  expect(late.amountMicros < early.amountMicros).toBe(true)
})

test('the lines add up, and each tier costs more than the one before and can be sold', () => {
  let before = PRICE_FLOOR
  for (const tier of TIERS) {
    const { amountMicros, lines } = quoteShape(TIER_SHAPES[tier], RATES)
    expect(lines.reduce((sum, line) => sum + line.amountMicros, 0n)).toBe(amountMicros)
    expect([tier, amountMicros > before, amountMicros <= PRICE_CEILING]).toEqual([tier, true, true])
    before = amountMicros
  }
})

const custom = { sizeBytes: '1000', durationSeconds: 60, maxEgressBytes: 2_000 }
test.each([
  [{ preset: 'vault', tier: 'nano' }, 'PRECONFIG_NOT_FOUND'],
  [{ preset: 'drop' }, 'INVALID_SHAPE'],
  [{ preset: 'drop', tier: 'custom' }, 'INVALID_SHAPE'],
  [{ preset: 'drop', tier: 'nano', customShape: custom }, 'INVALID_SHAPE'],
  [{ preset: 'drop', customShape: { ...custom, sizeBytes: 0 } }, 'INVALID_SHAPE'],
  [{ preset: 'drop', customShape: { ...custom, sizeBytes: '999999999999999999' } }, 'INVALID_SHAPE'],
  [{ preset: 'drop', customShape: { ...custom, maxEgressBytes: 2 ** 40 } }, 'INVALID_SHAPE'],
  [{ preset: 'drop', tier: 'nano', flags: { hashChaining: true } }, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'ledger', tier: 'nano', flags: { hashChaining: false } }, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'ledger', tier: 'nano', flags: { witness: false } }, 'FLAG_DEPENDENCY_UNMET'],
  [{ preset: 'witness', tier: 'nano', flags: { witness: false } }, 'FLAG_DEPENDENCY_UNMET'],
] as const)('%j is refused with %s', (choice, code) => {
  expect(() => resolveBaton(choice, RATES)).toThrow(expect.objectContaining({ code }))
})

test.each([
  [{ preset: 'drop', tier: 'nano' }, false],
  [{ preset: 'drop', tier: 'nano', flags: { witness: true } }, true],
  [{ preset: 'witness', tier: 'nano' }, true],
  [{ preset: 'ledger', tier: 'nano' }, true],
  [{ preset: 'scratchpad', tier: 'nano', flags: { hashChaining: true } }, true],
] as const)('the witness of %j is paid for at once: %s', (choice, isPaid) => {
  const { hasWitness, quote, shape } = resolveBaton(choice, RATES)
  const plain = quoteShape(shape, RATES).amountMicros
  expect([hasWitness, quote.amountMicros - plain]).toEqual([isPaid, isPaid ? 50_000n : 0n])
})

test('a scratchpad with hash chaining is chained', () => {
  const chained = resolveBaton({ preset: 'scratchpad', customShape: custom, flags: { hashChaining: true } }, RATES)
  expect([chained.behaviour, chained.tier, chained.shape.writes]).toEqual(['chained', 'custom', 1_000n])
})
