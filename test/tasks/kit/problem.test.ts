import { expect, test } from 'vitest'
import { isProblemCode, PROBLEMS, Problem, wireCode } from '#kit'

const rows = Object.entries(PROBLEMS) as [keyof typeof PROBLEMS, readonly [number, string, string?]][]

test.each(rows)('%s has an error status and a sentence', (code, [status, message]) => {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(600)
  expect(message === code || message.endsWith('.')).toBe(true)
})

test('survives being sent as data', () => {
  const { code, hints } = structuredClone(new Problem('BAD_RANGE', { segment: '9', pageCount: 2 }).toData())
  const arrived = Problem.from({ code, hints })
  expect(arrived).toBeInstanceOf(Problem)
  expect(arrived.status).toBe(422)
  expect(arrived.toBody()).toEqual({
    error: 'A page range is malformed or outside the document.',
    code: 'BAD_RANGE',
    segment: '9',
    pageCount: 2,
  })
})

test('hints overwrite neither code nor message', () => {
  const body = new Problem('NOT_FOUND', { code: 'MINE', error: 'mine', field: 'x' }).toBody()
  expect(body).toEqual({ error: PROBLEMS.NOT_FOUND[1], code: 'NOT_FOUND', field: 'x' })
})

test('two statuses share one code on the wire', () => {
  expect([wireCode('STORED_INPUT_TOO_LARGE'), wireCode('BODY_TOO_LARGE'), wireCode('INPUT_TOO_LARGE')]).toEqual([
    'INPUT_TOO_LARGE',
    'INPUT_TOO_LARGE',
    'INPUT_TOO_LARGE',
  ])
  expect([new Problem('STORED_INPUT_TOO_LARGE').status, new Problem('INPUT_TOO_LARGE').status]).toEqual([413, 422])
})

test('an unknown code becomes an internal error, even one that every object inherits', () => {
  expect(Problem.from({ code: 'toString' as never, hints: { secret: 1 } })).toMatchObject({
    code: 'INTERNAL',
    hints: {},
  })
  expect(isProblemCode('constructor')).toBe(false)
})
