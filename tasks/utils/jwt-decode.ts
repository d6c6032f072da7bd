import { Type } from 'typebox'
import { Choice, define, perCall, Warnings } from '#kit'
import { listWarnings, readToken, toIsoDate } from '../formats/jwt/token.ts'

const JSON_OBJECT = Type.Record(Type.String(), Type.Unknown())
const MOMENT = Type.Union([Type.String(), Type.Null()], {
  description: 'ISO 8601; null if the token does not contain it.',
})

export default define({
  summary: 'Read a JWT without verifying it.',
  keywords: 'json web token, claims, inspect, payload, look into, bearer token',
  description:
    'Does not check whether the token is genuine: `verified` is always false. Use jwt-verify before trusting it.',
  price: perCall('0.001'),
  uses: [],
  instant: { maxBytes: 65_536 },
  input: Type.Object({
    token: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The compact form; a leading Bearer is ignored.',
    }),
  }),
  output: Type.Object({
    header: JSON_OBJECT,
    payload: Type.Union([JSON_OBJECT, Type.Null()], { description: 'Null if it is encrypted.' }),
    signature: Type.Union([Type.String(), Type.Null()], { description: 'As in the token, base64url.' }),
    kind: Choice(['JWS', 'JWE']),
    expired: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null if the token has no expiry.' }),
    expiresInSec: Type.Union([Type.Integer(), Type.Null()], { description: 'Negative once it has expired.' }),
    issuedAt: MOMENT,
    expiresAt: MOMENT,
    notBefore: MOMENT,
    verified: Type.Literal(false),
    warnings: Warnings,
  }),
  errors: ['JWT_MALFORMED'],
  examples: [
    {
      title: 'What a token says',
      input: {
        token:
          'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.' +
          'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
      },
      answer: {
        header: { alg: 'HS256', typ: 'JWT' },
        payload: { sub: '1234567890', name: 'John Doe', iat: 1516239022 },
        kind: 'JWS',
        issuedAt: '2018-01-18T01:30:22.000Z',
        verified: false,
      },
    },
  ],

  run({ token }, { now }) {
    const read = readToken(token)
    const { kind, header, payload, signature } = read
    const nowMs = now().getTime()
    const expiry = toIsoDate(payload?.exp) === null ? undefined : (payload!.exp as number)
    const result = {
      header,
      payload,
      signature,
      kind,
      expired: expiry === undefined ? null : nowMs >= expiry * 1000,
      expiresInSec: expiry === undefined ? null : Math.floor(expiry - nowMs / 1000),
      issuedAt: toIsoDate(payload?.iat),
      expiresAt: toIsoDate(expiry),
      notBefore: toIsoDate(payload?.nbf),
      verified: false as const,
    }
    const warnings = listWarnings(read, nowMs)
    return warnings.length > 0 ? { result, warnings } : { result }
  },
})
