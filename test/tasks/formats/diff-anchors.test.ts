import { expect, test } from 'vitest'
import { bind } from '../../../pools/tools/text-diff.ts'
import { matchLongLists } from '../../../tasks/formats/diff/anchors.ts'

const { findMatches } = bind({ deadlineMs: Number.POSITIVE_INFINITY, limitSeconds: 60 } as never)

/** A repeatable list of numbers. */
function listNumbers(length: number, kinds: number, seed: number): Int32Array {
  let state = seed
  return Int32Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % kinds
  })
}

function expectMatches(left: Int32Array, right: Int32Array, pairs: Int32Array): void {
  for (let at = 0; at < pairs.length; at += 2) {
    expect(left[pairs[at]!]).toBe(right[pairs[at + 1]!])
    if (at === 0) continue
    expect(pairs[at]!).toBeGreaterThan(pairs[at - 2]!)
    expect(pairs[at + 1]!).toBeGreaterThan(pairs[at - 1]!)
  }
}

test('matches long lists with an insertion and a deletion', async () => {
  const left = listNumbers(6000, 900, 1)
  const right = Int32Array.from([
    ...left.subarray(0, 2000),
    -1,
    -2,
    -3,
    ...left.subarray(2000, 4000),
    ...left.subarray(4500),
  ])
  const pairs = await matchLongLists(left, right, findMatches)
  expectMatches(left, right, pairs)
  expect(pairs.length / 2).toBe(5500)
})

test.each([
  ['two different texts of the same words', listNumbers(5000, 400, 3), listNumbers(4000, 400, 4)],
  ['lists of few numbers', listNumbers(4000, 2, 5), listNumbers(3500, 2, 6)],
  ['an empty list', listNumbers(3000, 5, 7), new Int32Array()],
])('gives matches in order for %s', async (_, left, right) => {
  expectMatches(left, right, await matchLongLists(left, right, findMatches))
})
