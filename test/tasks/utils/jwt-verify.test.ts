import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const nowSec = NOW.getTime() / 1000
const SECRET = 'a secret that is long enough for everything: 64 bytes and more..'
/** A text is the JSON itself. */
const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const verify = (body: Record<string, unknown>) => runOperation('utils.jwt-verify', body, NOW)

/** Signed by the platform's own crypto, not by the library under test. */
function hmacToken(
  payload: object | string,
  header: Record<string, unknown> = { alg: 'HS256' },
  secret: string | Buffer = SECRET,
): string {
  const signed = `${part(header)}.${part(payload)}`
  return `${signed}.${createHmac(`sha${String(header.alg).slice(2)}`, secret)
    .update(signed)
    .digest('base64url')}`
}

function keyToken(key: KeyObject, header: Record<string, unknown>, payload: object = { sub: 'me' }): string {
  const signed = `${part(header)}.${part(payload)}`
  const alg = String(header.alg)
  const hash = alg.startsWith('Ed') ? null : `sha${alg.slice(2)}`
  const options = alg.startsWith('PS') ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {}
  return `${signed}.${sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363', ...options }).toString('base64url')}`
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString()
const jwk = (key: KeyObject) => key.export({ format: 'jwk' }) as Record<string, unknown>

test.each(['HS256', 'HS384', 'HS512'])('verifies %s', async alg => {
  const token = hmacToken({ sub: 'me' }, { alg })
  expect(await verify({ token, secret: SECRET, algorithms: [alg] })).toEqual({
    valid: true,
    header: { alg },
    payload: { sub: 'me' },
  })
})

test('verifies the example of RFC 7515, whose key is in base64url', async () => {
  const token =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.' +
    'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const secret = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow'
  const body = { token, secret, secretEncoding: 'base64url', algorithms: ['HS256'] }
  expect(await verify({ ...body, currentDate: '2011-03-22T18:00:00Z' })).toMatchObject({ valid: true })
  expect(await verify(body)).toMatchObject({ valid: false, reason: 'expired', claim: 'exp', payload: { iss: 'joe' } })
})

test.each([
  ['RS256', rsa],
  ['PS384', rsa],
  ['ES256', ec],
  ['EdDSA', ed],
])('verifies %s by PEM, by JWK and by key set', async (alg, { publicKey, privateKey }) => {
  const token = keyToken(privateKey, { alg, kid: 'one' })
  const keys = [
    { ...jwk(generateKeyPairSync('ed25519').publicKey), kid: 'two' },
    { ...jwk(publicKey), kid: 'one' },
  ]
  for (const key of [{ publicKey: pem(publicKey) }, { publicKey: jwk(publicKey) }, { jwks: { keys } }]) {
    expect(await verify({ token, algorithms: [alg], ...key })).toMatchObject({ valid: true, payload: { sub: 'me' } })
  }
  const forged = `${token.slice(0, -8)}AAAAAAAA`
  expect(await verify({ token: forged, algorithms: [alg], publicKey: pem(publicKey) })).toMatchObject({
    valid: false,
    reason: 'signature',
  })
})

describe('an invalid token answers with the reason', () => {
  const good = { iss: 'me', aud: ['a', 'b'], sub: 's', iat: nowSec - 60, exp: nowSec + 60 }

  test.each([
    [good, {}, { valid: true }],
    [
      good,
      { issuer: ['you', 'me'], audience: 'b', subject: 's', maxTokenAge: 100, requiredClaims: ['iat'] },
      { valid: true },
    ],
    [good, { issuer: 'you' }, { valid: false, reason: 'claim', claim: 'iss' }],
    [good, { audience: 'c' }, { valid: false, reason: 'claim', claim: 'aud' }],
    [good, { subject: 't' }, { valid: false, reason: 'claim', claim: 'sub' }],
    [good, { requiredClaims: ['jti'] }, { valid: false, reason: 'claim', claim: 'jti' }],
    [good, { maxTokenAge: 10 }, { valid: false, reason: 'expired', claim: 'iat' }],
    [{ exp: nowSec - 4 }, {}, { valid: true }],
    [{ exp: nowSec - 4 }, { clockToleranceSec: 0 }, { valid: false, reason: 'expired' }],
    [{ nbf: nowSec + 60 }, {}, { valid: false, reason: 'not-before', claim: 'nbf' }],
    [{ nbf: nowSec + 60 }, { clockToleranceSec: 100 }, { valid: true }],
    [{ nbf: nowSec + 60 }, { currentDate: '2026-11-20T12:02:00Z' }, { valid: true }],
  ])('%#: %j with %j', async (payload, options, expected) => {
    expect(
      await verify({ token: hmacToken(payload), secret: SECRET, algorithms: ['HS256'], ...options }),
    ).toMatchObject(expected)
  })

  test('for another secret', async () => {
    const answer = await verify({ token: hmacToken({}), secret: `${SECRET}!`, algorithms: ['HS256'] })
    expect(answer).toEqual({ valid: false, reason: 'signature', header: { alg: 'HS256' } })
  })

  test('for no signature at all', async () => {
    const unsigned = `${part({ alg: 'none' })}.${part({ sub: 'admin' })}.`
    expect(await verify({ token: unsigned, secret: SECRET, algorithms: ['HS256'] })).toMatchObject({
      valid: false,
      reason: 'alg',
    })
  })

  test('for a header with unknown critical extensions', async () => {
    const token = hmacToken({}, { alg: 'HS256', crit: ['x'], x: 1 })
    expect(await verify({ token, secret: SECRET, algorithms: ['HS256'] })).toMatchObject({ valid: false })
  })

  test('for a key set without the key', async () => {
    const token = keyToken(ec.privateKey, { alg: 'ES256', kid: 'gone' })
    const jwks = { keys: [{ ...jwk(ec.publicKey), kid: 'here' }] }
    expect(await verify({ token, jwks, algorithms: ['ES256'] })).toMatchObject({ valid: false, reason: 'key' })
  })
})

describe('an attacker who signs with the public key as a secret', () => {
  const publicPem = pem(rsa.publicKey)
  const token = hmacToken({ sub: 'admin' }, { alg: 'HS256' }, publicPem)

  test.each([
    [
      { publicKey: publicPem, algorithms: ['RS256'] },
      { valid: false, reason: 'alg' },
    ],
    [
      { publicKey: jwk(rsa.publicKey), algorithms: ['RS256', 'PS256'] },
      { valid: false, reason: 'alg' },
    ],
  ])('does not succeed with %#', async (body, expected) => {
    expect(await verify({ token, ...body })).toMatchObject(expected)
  })

  test.each([
    [{ publicKey: publicPem, algorithms: ['RS256', 'HS256'] }],
    [{ publicKey: publicPem, algorithms: ['HS256'] }],
    [{ jwks: { keys: [jwk(rsa.publicKey)] }, algorithms: ['HS256'] }],
    [{ secret: publicPem, algorithms: ['HS256'] }],
    [{ secret: `\n  ${publicPem}`, algorithms: ['HS256'] }],
    [{ secret: Buffer.from(publicPem).toString('base64'), secretEncoding: 'base64', algorithms: ['HS256'] }],
    [{ secret: publicPem.replace(/-----.*-----|\n/g, ''), secretEncoding: 'base64', algorithms: ['HS256'] }],
    [{ secret: JSON.stringify(jwk(rsa.publicKey)), algorithms: ['HS256'] }],
  ])('cannot make the caller accept the key as a secret: %#', async body => {
    await expect(verify({ token, ...body })).rejects.toMatchObject({ code: 'KEY_TYPE' })
  })
})

test.each([
  [{ secret: 'x', algorithms: ['RS256'] }, 'KEY_TYPE', { field: 'secret', algorithms: ['RS256'] }],
  [{ publicKey: pem(ec.publicKey), algorithms: ['ES384'] }, 'KEY_TYPE', { keyType: 'P-256' }],
  [{ publicKey: pem(rsa.publicKey), algorithms: ['ES256'] }, 'KEY_TYPE', { keyType: 'RSA' }],
  [{ publicKey: pem(createPublicKey(ed.privateKey)), algorithms: ['RS256'] }, 'KEY_TYPE', { keyType: 'Ed25519' }],
  [
    { publicKey: rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }), algorithms: ['RS256'] },
    'KEY_TYPE',
    { keyType: 'private' },
  ],
  [{ publicKey: jwk(ec.privateKey), algorithms: ['ES256'] }, 'KEY_TYPE', { keyType: 'private' }],
  [{ publicKey: { kty: 'oct', k: 'AAAA' }, algorithms: ['ES256'] }, 'KEY_TYPE', { keyType: 'oct' }],
  [{ publicKey: 'nonsense', algorithms: ['RS256'] }, 'KEY_INVALID', { field: 'publicKey' }],
  [{ secret: 'xyz', secretEncoding: 'hex', algorithms: ['HS256'] }, 'KEY_INVALID', { field: 'secret' }],
  [{ algorithms: ['HS256'] }, 'MISSING_FIELD', { field: 'secret' }],
  [{ secret: 'x', publicKey: 'y', algorithms: ['HS256'] }, 'CONFLICTING_OPTIONS', { fields: ['secret', 'publicKey'] }],
  [{ secret: 'x', algorithms: ['HS256'], currentDate: 'never' }, 'INVALID_PARAM', { field: 'currentDate' }],
])('rejects %#', async (body, code, hints) => {
  await expect(verify({ token: hmacToken({}), ...body })).rejects.toMatchObject({ code, hints })
})

test('rejects malformed tokens, and does not verify encrypted ones', async () => {
  const body = { secret: SECRET, algorithms: ['HS256'] }
  await expect(verify({ ...body, token: 'a.b.c' })).rejects.toMatchObject({ code: 'JWT_MALFORMED' })
  const encrypted = `${part({ alg: 'dir', enc: 'A256GCM' })}..Ag.Aw.BA`
  expect(await verify({ ...body, token: encrypted })).toMatchObject({ valid: false, reason: 'alg' })
})

test('requires algorithms, and rejects none', async () => {
  await expect(verify({ token: 'x', secret: 'x', algorithms: ['none'] })).rejects.toThrow('does not accept this body')
  await expect(verify({ token: 'x', secret: 'x', algorithms: [] })).rejects.toThrow('does not accept this body')
  await expect(verify({ token: 'x', secret: 'x' })).rejects.toThrow('does not accept this body')
})

test('warns about a secret shorter than its digest', async () => {
  const { warnings } = await verify({
    token: hmacToken({}, { alg: 'HS256' }, 'short'),
    secret: 'short',
    algorithms: ['HS256'],
  })
  expect(warnings).toMatchObject([{ code: 'WEAK_SECRET' }])
})

test('numbers of the payload that are rounded are warned of', async () => {
  const verifyText = (json: string) => verify({ token: hmacToken(json), secret: SECRET, algorithms: ['HS256'] })
  expect(await verifyText('{"n":12345678901234567890}')).toMatchObject({
    valid: true,
    warnings: [{ code: 'NUMBER_ROUNDED' }],
  })
  expect(await verifyText('{"n":1234567890123456}')).not.toHaveProperty('warnings')
})
