import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeBase64, estimateDecodedBytes } from '../../../api/intake/body/base64.ts'

const anyBytes = fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes))
const refused = expect.objectContaining({ code: 'INVALID_BASE64', hints: { field: 'file' } })

describe('decoding base64', () => {
  test('decodes either alphabet, padded or not, with or without a prefix', () => {
    const encoded = fc.tuple(
      anyBytes,
      fc.boolean(),
      fc.boolean(),
      fc.constantFrom('', 'data:image/png;base64,', 'DATA:;BASE64,'),
    )
    fc.assert(
      fc.property(encoded, ([bytes, isUrlSafe, isPadded, prefix]) => {
        const standard = bytes.toString('base64')
        const text = isUrlSafe ? standard.replaceAll('+', '-').replaceAll('/', '_') : standard
        const sent = prefix + (isPadded ? text : text.replaceAll('=', ''))
        expect(decodeBase64(sent, 'file').equals(bytes)).toBe(true)
        expect(estimateDecodedBytes(sent)).toBe(bytes.length)
      }),
    )
  })

  test('refuses a text with one foreign character at any position', () => {
    const foreign = fc.constantFrom('*', ' ', '\n', '\0', '.', '~', 'é', 'Ł', '漢', '😀', '\ud800', '\u0141', '%')
    fc.assert(
      fc.property(anyBytes, foreign, fc.nat(), (bytes, character, position) => {
        const text = bytes.toString('base64')
        const index = position % (text.length + 1)
        const broken = text.slice(0, index) + character + text.slice(index)
        expect(() => decodeBase64(broken, 'file')).toThrow(refused)
        const replaced = text.slice(0, index) + character + text.slice(index + 1)
        expect(() => decodeBase64(replaced, 'file')).toThrow(refused)
      }),
    )
  })

  test('agrees with the decoder of Node on any text of the alphabet', () => {
    const alphabet = 'ABCXYZabcxyz0189+/-_='
    const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 40 })
    fc.assert(
      fc.property(text, sent => {
        const isValid = /^[A-Za-z0-9+/_-]*={0,2}$/.test(sent) && isPaddedWell(sent)
        if (isValid) expect(decodeBase64(sent, 'file').equals(Buffer.from(sent, 'base64url'))).toBe(true)
        else expect(() => decodeBase64(sent, 'file')).toThrow(refused)
      }),
      { numRuns: 1000 },
    )
  })

  test.each(['A', 'QQ=', 'QQ===', '=', '==', 'Q=Q=', 'data:image/png,abc', 'data:;base64', 'QQ==QQ=='])(
    'refuses %j',
    text => {
      expect(() => decodeBase64(text, 'file')).toThrow(refused)
    },
  )

  test('decodes an empty text to no bytes', () => {
    expect(decodeBase64('', 'file')).toHaveLength(0)
    expect(decodeBase64('data:text/plain;charset=utf-8;base64,', 'file')).toHaveLength(0)
  })
})

function isPaddedWell(text: string): boolean {
  const bare = text.replaceAll('=', '')
  return bare.length % 4 !== 1 && (bare.length === text.length || text.length % 4 === 0)
}
