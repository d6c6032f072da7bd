import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../api/intake/body/json.ts'

const refused = expect.objectContaining({ code: 'INVALID_JSON' })
const parse = (text: string) => parseJson(Buffer.from(text))

/** Keys that could reach the prototype of an object are refused. */
function hasAllowedKeys(value: unknown): boolean {
  return !/"(__proto__|constructor|prototype)"/.test(JSON.stringify(value))
}

describe('parsing a JSON body', () => {
  test('reads any valid JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }).filter(hasAllowedKeys), value => {
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test.each(['{', '[1,]', '{"a":1}}', 'nope', "{'a':1}", '\ufeff{}', '{"a":\u00a01}'])('refuses %j', text => {
    expect(() => parse(text)).toThrow(refused)
  })

  test('reports where it is malformed, but nothing of its content', () => {
    const error = catchError(() => parse('{"password":"hunter2",}'))
    expect(JSON.stringify(error.hints)).toMatch(/malformed/)
    expect(JSON.stringify(error.hints)).not.toContain('hunter2')
  })

  test.each([
    ['a byte that starts no character', [0x22, 0xff, 0x22]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('refuses %s', (_name, bytes) => {
    expect(() => parseJson(Buffer.from(bytes))).toThrow(refused)
  })

  test.each([
    '{"__proto__":{"a":1}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":1}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"x":{"constr\\u0075ctor":{"prototype":1}}}',
  ])('refuses a key that could pollute a prototype in %s', text => {
    expect(() => parse(text)).toThrow(refused)
  })

  test('accepts such words outside of keys', () => {
    const value = { a: '__proto__', constructor: 'Ford', b: ['constructor', '\\u005f'] }
    expect(parse(JSON.stringify(value))).toEqual(value)
  })

  test('refuses a body that is nested deeper than 64, and accepts one of 64', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"${'x'.repeat(70_000)}"${']'.repeat(depth)}`
    expect(() => parse(nested(65))).toThrow(refused)
    expect(Array.isArray(parse(nested(64)))).toBe(true)
    expect(() => parse('['.repeat(65) + ']'.repeat(65))).toThrow(refused)
    expect(() => parse('['.repeat(2_000_000))).toThrow(refused)
  })

  test('does not count brackets inside strings', () => {
    const text = JSON.stringify({ a: `${'[{\\"'.repeat(50_000)}\\`, b: '"]', c: '\\\\' })
    expect(parse(text)).toEqual(JSON.parse(text))
  })
})

function catchError(run: () => unknown): { hints: unknown } {
  try {
    run()
  } catch (error) {
    return error as { hints: unknown }
  }
  throw new Error('nothing was thrown')
}
