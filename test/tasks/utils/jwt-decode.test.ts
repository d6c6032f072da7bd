import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const nowSec = NOW.getTime() / 1000
const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const token = (payload: unknown, header: unknown = { alg: 'HS256' }, signature = 'c2ln') =>
  `${part(header)}.${part(payload)}.${signature}`
const decode = (text: string) => runOperation('utils.jwt-decode', { token: text }, NOW)
const codes = async (text: string) => ((await decode(text)).warnings ?? []).map(({ code }) => code)

test('reads the example of RFC 7519 with its line ends and member order', async () => {
  const example =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.' +
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  expect(await decode(`Bearer ${example}\n`)).toEqual({
    header: { typ: 'JWT', alg: 'HS256' },
    payload: { iss: 'joe', exp: 1_300_819_380, 'http://example.com/is_root': true },
    signature: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    kind: 'JWS',
    expired: true,
    expiresInSec: 1_300_819_380 - nowSec,
    issuedAt: null,
    expiresAt: '2011-03-22T18:43:00.000Z',
    notBefore: null,
    verified: false,
  })
})

test.each([
  [{ exp: nowSec + 1 }, false, 1],
  [{ exp: nowSec }, true, 0],
  [{ exp: nowSec - 1 }, true, -1],
  [{ exp: nowSec + 0.5 }, false, 0],
  [{}, null, null],
  [{ exp: 'soon' }, null, null],
  [{ exp: 1e300 }, null, null],
])('reports whether %j has expired', async (payload, expired, expiresInSec) => {
  expect(await decode(token(payload))).toMatchObject({ expired, expiresInSec })
})

test('shows only the header of an encrypted token', async () => {
  const header = { alg: 'RSA-OAEP', enc: 'A256GCM' }
  const answer = await decode([part(header), 'AQ', 'Ag', 'Aw', 'BA'].join('.'))
  expect(answer).toMatchObject({ kind: 'JWE', header, payload: null, signature: null, verified: false })
})

test.each([
  [token({ exp: nowSec + 9 }), []],
  [token({}), ['NO_EXPIRY']],
  [token({ exp: 1 }, { alg: 'none' }, ''), ['UNSIGNED']],
  [token({ exp: 1 }, { alg: 'HS256' }, ''), ['UNSIGNED']],
  [token({ exp: nowSec + 9, nbf: nowSec + 5 }), ['NOT_YET_VALID']],
  [token({ exp: nowSec + 9, iat: nowSec + 5 }), ['ISSUED_IN_FUTURE']],
  [token({ exp: '9' }), ['DATE_INVALID']],
  [token({ exp: nowSec + 9 }, { alg: 'HS256', crit: ['x'] }), ['CRITICAL_EXTENSION']],
  [token('{"exp":1,"n":12345678901234567890}'), ['NUMBER_ROUNDED']],
  [token('{"exp":1,"n":[{"x":0.10000000000000000001}]}'), ['NUMBER_ROUNDED']],
  [token('{"exp":1}', '{"alg":"HS256","n":1e999}'), ['NUMBER_ROUNDED']],
  [token('{"exp":1.0,"n":[1e300,9007199254740992,1.10,-0]}'), []],
])('warns about unverified tokens: %#', async (text, expected) => {
  expect(await codes(text)).toEqual(expected)
})

test('treats a member named __proto__ as plain data', async () => {
  const answer = await decode(token('{"__proto__":{"admin":true},"exp":1}'))
  expect(Object.keys(answer.payload as object)).toEqual(['__proto__', 'exp'])
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
})

test.each([
  ['nonsense', { parts: 1 }],
  ['a.b', { parts: 2 }],
  ['a.b.c.d', { parts: 4 }],
  ['!!.e30.c2ln', { part: 'header', reason: 'not base64url' }],
  ['e30=.e30.c2ln', { part: 'header', reason: 'not base64url' }],
  [`${part('nope')}.e30.c2ln`, { part: 'header', reason: 'not JSON' }],
  [`${part('[]')}.e30.c2ln`, { part: 'header', reason: 'not an object' }],
  [`e30.${part('"text"')}.c2ln`, { part: 'payload', reason: 'not an object' }],
  ['e30.4pyF4p.c2ln', { part: 'payload' }],
  ['e30.e30.c2ln+', { part: 'signature' }],
  [`e30.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.c2ln`, { part: 'payload', reason: 'not JSON' }],
])('rejects %s', async (text, hints) => {
  await expect(decode(text)).rejects.toMatchObject({ code: 'JWT_MALFORMED', hints })
})
