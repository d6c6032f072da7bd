import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareWords, spellWord } from '../../../tasks/products/screening/names/likeness.ts'

const PARTS = ['a', 'e', 'i', 'o', 'u', 'h', 'sh', 'k', 'kh', 'v', 'w', 'l', 'r', 'n', 'm', 't', 'd', 'zh', 'y', 's']
const word = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 12 }).map(parts => parts.join(''))
const listed = fc.tuple(fc.constantFrom('', '~'), word).map(parts => parts.join(''))
/** Two words, of which the other is the first one with a part changed, or any. */
const pair = fc.oneof(
  fc.tuple(word, listed),
  fc
    .tuple(word, fc.nat(20), fc.constantFrom(...PARTS, ''), fc.nat(2))
    .map(([one, at, part, removed]) => [one, one.slice(0, at) + part + one.slice(at + removed)] as [string, string]),
)

test('words are as alike as without a least likeness, or not at all', () => {
  let alike = 0
  fc.assert(
    fc.property(pair, fc.constantFrom(0.73, 0.74, 0.9, 0.95), ([one, other], least) => {
      const [first, second] = [spellWord(one), spellWord(other)]
      const whole = compareWords(first, second, 0)
      if (whole >= least) alike += 1
      expect(compareWords(first, second, least)).toBe(whole >= least ? whole : 0)
    }),
    { numRuns: 5_000 },
  )
  expect(alike).toBeGreaterThan(500)
})
