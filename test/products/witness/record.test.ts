import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose'
import { expect, test } from 'vitest'
import { canonicalize } from '../../../tasks/products/witness/canonical.ts'
import { newSigningKey, parseSigningKey, publicJwk, writeSigningKey } from '../../../tasks/products/witness/key.ts'
import { buildStatement, isSignedBy, signStatement } from '../../../tasks/products/witness/statement.ts'

/** The examples of RFC 8785, sections 3.2.2 to 3.2.4. */
test.each([
  [
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['{"b":{"z":[],"a":{}},"a":[{"d":-0,"c":1e21}]}', '{"a":[{"c":1e+21,"d":0}],"b":{"a":{},"z":[]}}'],
])('%# is written as RFC 8785 says', (text, canonical) => {
  expect(canonicalize(JSON.parse(text))).toBe(canonical)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', undefined, { a: undefined }, { '\ud800': 1 }, 1n])(
  '%o has no canonical JSON',
  value => {
    expect(() => canonicalize(value)).toThrow(TypeError)
  },
)

test('canonical JSON says the same as the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect(JSON.parse(canonicalize(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})

const facts = { batonId: 'b', sha256: 'a'.repeat(64), size: 2, entries: 1, chainHead: null }
const statement = buildStatement(facts, new Date('2026-11-20T00:00:00.999Z'))

test('a record is a JWS that other libraries verify, by a key that is named by its thumbprint', async () => {
  const key = newSigningKey()
  const { jws } = signStatement(statement, key, 'https://x/jwks.json')
  const jwk = publicJwk(key.x)
  expect(key.kid).toBe(await calculateJwkThumbprint(jwk))
  const { payload, protectedHeader } = await compactVerify(jws, await importJWK({ ...jwk }, 'EdDSA'))
  expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: key.kid, typ: 'svc-witness+jws', jku: 'https://x/jwks.json' })
  expect(Buffer.from(payload).toString()).toContain('"retain_until":"2033-11-20T00:00:00Z"')
  expect([isSignedBy({ statement, jws }, key), isSignedBy({ statement, jws }, newSigningKey())]).toEqual([true, false])
})

test('no other character of a record is accepted', () => {
  const key = newSigningKey()
  const { jws } = signStatement(statement, key, 'https://x/jwks.json')
  fc.assert(
    fc.property(fc.nat(jws.length - 1), fc.constantFrom(...'AZaz09-_.='), (at, by) => {
      const changed = `${jws.slice(0, at)}${by}${jws.slice(at + 1)}`
      expect(isSignedBy({ statement, jws: changed }, key)).toBe(changed === jws)
    }),
    { numRuns: 1_000 },
  )
})

test('keys are read as PEM and as JWK, and only Ed25519 ones', () => {
  const key = newSigningKey()
  const jwk = JSON.stringify(key.privateKey.export({ format: 'jwk' }))
  expect([parseSigningKey(writeSigningKey(key)).kid, parseSigningKey(jwk).kid]).toEqual([key.kid, key.kid])
  const other = generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  for (const text of [other, '', '{', '{}', JSON.stringify(publicJwk(key.x)), 'x'.repeat(100)]) {
    expect(() => parseSigningKey(text)).toThrow(RangeError)
  }
})
