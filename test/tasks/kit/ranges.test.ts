import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pagesOf } from '#kit'

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
  expect(pagesOf(range, pageCount)).toEqual(pages)
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
])('never clamps: %j of 3 pages names what is wrong', (range, segment) => {
  expect(() => pagesOf(range, 3)).toThrow(
    expect.objectContaining({ code: 'BAD_RANGE', hints: { segment, pageCount: 3 } }),
  )
})

test('names only pages that are there', () => {
  const segment = fc.stringMatching(/^(all|odd|even|last|last-\d|\d|\d-|\d-\d)$/)
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 12 }),
      (segments, pageCount) => {
        let pages: number[] = []
        try {
          pages = pagesOf(segments.join(','), pageCount)
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_RANGE' })
        }
        expect(pages.every(page => Number.isInteger(page) && page >= 1 && page <= pageCount)).toBe(true)
      },
    ),
  )
})
