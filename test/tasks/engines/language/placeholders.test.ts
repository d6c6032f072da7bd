import { expect, test } from 'vitest'
import { maskPlaceholders, openUnmasking, unmask } from '../../../../tasks/engines/language/placeholders.ts'

test('placeholders come back exactly once, also from pieces', () => {
  const text = 'Hi {{name}}, <b>you</b> owe %s {{{raw}}} {% if a %}.'
  const { masked, placeholders } = maskPlaceholders(text)
  expect(masked).toBe('Hi ⟦0⟧, ⟦1⟧you⟦2⟧ owe ⟦3⟧ ⟦4⟧ ⟦5⟧.')
  expect(unmask(masked, placeholders)).toEqual({ text })
  expect(unmask('⟦0⟧ ⟦0⟧ ⟦2⟧ ⟦3⟧ ⟦4⟧ ⟦5⟧', placeholders)).toEqual({ missing: ['⟦0⟧', '⟦1⟧'] })
  const read = openUnmasking(placeholders)
  expect([...masked].map(read).join('')).toBe(text)
})

test.each([
  ['%lu of %lld files, %5.2f %% (%c) at %1$s', '⟦0⟧ of ⟦1⟧ files, ⟦2⟧ ⟦3⟧ (⟦4⟧) at ⟦5⟧'],
  ['Buy 20%cheaper, 50% off', 'Buy 20%cheaper, 50% off'],
  [
    '{n, plural, =0 {no files} one {# file of {name}} other {# files}} since {d, date, short}',
    '⟦0⟧no files⟦1⟧# file of ⟦2⟧⟦3⟧# files⟦4⟧ since ⟦5⟧',
  ],
  ['{g, select, male {He} other {They}} left', '⟦0⟧He⟦1⟧They⟦2⟧ left'],
])('of %j the words are left', (text, wanted) => {
  const { masked, placeholders } = maskPlaceholders(text)
  expect(masked).toBe(wanted)
  expect(unmask(masked, placeholders)).toEqual({ text })
})
