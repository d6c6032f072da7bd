import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolvePageRange } from '#kit'

test.each([
  ['1', 3, [1]],
  ['1-3', 3, [1, 2, 3]],
  ['3,1,1', 3, [3, 1, 1]],
  ['2-', 4, [2, 3, 4]],
  ['last', 4, [4]],
  ['last-2', 4, [2]],
  ['odd', 5, [1, 3, 5]],
  ['even', 5, [2, 4]],
  ['all', 3, [1, 2, 3]],
  ['all', 1, [1]],
  ['1 - 2, last', 9, [1, 2, 9]],
])('%s of %i pages', (range, pageCount, pages) => {
  expect(resolvePageRange(range, pageCount)).toEqual(pages)
})

test.each([
  ['', ''],
  ['0', '0'],
  ['4', '4'],
  ['1-4', '1-4'],
  ['3-2', '3-2'],
  ['4-', '4-'],
  ['last-3', 'last-3'],
  ['-1', '-1'],
  ['1,,2', ''],
  ['1,x', 'x'],
  ['1.5', '1.5'],
  ['99999999999999999999', '99999999999999999999'],
  ['1-99999999999999999999', '1-99999999999999999999'],
  ['LAST', 'LAST'],
])('never clamps: %j of 3 pages reports the segment that is wrong', (range, segment) => {
  expect(() => resolvePageRange(range, 3)).toThrow(
    expect.objectContaining({ code: 'BAD_RANGE', hints: { segment, pageCount: 3 } }),
  )
})

test('returns only existing pages', () => {
  const segment = fc.stringMatching(/^(all|odd|even|last|last-\d|\d|\d-|\d-\d)$/)
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 12 }),
      (segments, pageCount) => {
        let pages: number[] = []
        try {
          pages = resolvePageRange(segments.join(','), pageCount)
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_RANGE' })
        }
        expect(pages.every(page => Number.isInteger(page) && page >= 1 && page <= pageCount)).toBe(true)
      },
    ),
  )
})
