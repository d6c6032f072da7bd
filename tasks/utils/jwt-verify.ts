import { Type } from 'typebox'
import { Choice, define, exactlyOne, Problem, perCall, Secret, Warnings } from '#kit'
import { readKey } from '../formats/encodings/secret-key.ts'
import { ROUNDED, readToken, stripBearer } from '../formats/jwt/token.ts'
import { ALGORITHMS, checkKeyFits, checkSecret } from './jwt-verify/key.ts'

const JSON_OBJECT = Type.Record(Type.String(), Type.Unknown())
const WORD = Type.String({ minLength: 1, maxLength: 1024 })
const WORDS = Type.Union([WORD, Type.Array(WORD, { minItems: 1, maxItems: 50 })])

export default define({
  summary: 'Verify a JWT with a given key.',
  keywords: 'json web token, validate, jwks, signature check, access token, authenticate, is a token signed',
  description:
    'You name the allowed algorithms, and the key must fit them, so that a token cannot choose how it is verified. An ' +
    'invalid token answers 200 with `valid: false` and the reason; the payload is included once the signature is verified.',
  price: perCall('0.001'),
  uses: ['jose'],
  input: Type.Object({
    token: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The compact form; a leading Bearer is ignored.',
    }),
    secret: Type.Optional(Secret({ minLength: 1, maxLength: 8192, description: 'For HS256, HS384 and HS512.' })),
    secretEncoding: Choice(['utf8', 'hex', 'base64', 'base64url'], { default: 'utf8' }),
    publicKey: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 32_768 }), JSON_OBJECT], {
        description: 'PEM (public key or certificate), or a JWK as an object.',
      }),
    ),
    jwks: Type.Optional(
      Type.Object(
        { keys: Type.Array(JSON_OBJECT, { minItems: 1, maxItems: 100 }) },
        {
          additionalProperties: true,
          description: 'A key set; the key is chosen by the key id and the algorithm of the token.',
        },
      ),
    ),
    algorithms: Type.Array(Choice(ALGORITHMS), { minItems: 1, maxItems: 14, uniqueItems: true }),
    issuer: Type.Optional(WORDS),
    audience: Type.Optional(WORDS),
    subject: Type.Optional(WORD),
    maxTokenAge: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 315_360_000, description: 'Maximum seconds since iat.' }),
    ),
    clockToleranceSec: Type.Integer({ default: 5, minimum: 0, maximum: 300 }),
    requiredClaims: Type.Optional(Type.Array(WORD, { maxItems: 50 })),
    currentDate: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601. Left out: now.' })),
  }),
  output: Type.Object({
    valid: Type.Boolean(),
    reason: Type.Optional(Choice(['signature', 'expired', 'not-before', 'claim', 'alg', 'key'])),
    claim: Type.Optional(Type.String({ description: 'The claim that is not satisfied.' })),
    header: JSON_OBJECT,
    payload: Type.Optional(JSON_OBJECT),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'JWT_MALFORMED', 'KEY_TYPE', 'KEY_INVALID'],
  examples: [
    {
      title: 'A token signed with a secret',
      input: {
        token:
          'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.' +
          'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
        secret: 'your-256-bit-secret',
        algorithms: ['HS256'],
      },
      answer: { valid: true, payload: { sub: '1234567890' } },
    },
    {
      title: 'An algorithm that was not allowed',
      input: {
        token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NTY3ODkwIn0.',
        secret: 'your-256-bit-secret',
        algorithms: ['HS256'],
      },
      answer: { valid: false, reason: 'alg' },
    },
  ],

  async run(input, { jose, now }) {
    const given = exactlyOne(input, ['secret', 'publicKey', 'jwks'])
    const token = stripBearer(input.token)
    const { isRounded } = readToken(token)
    checkKeyFits(given, input.publicKey, input.algorithms)
    const secret = given === 'secret' ? readKey(input.secret!, input.secretEncoding, 'secret') : undefined
    const warnings = [...((secret && checkSecret(secret, input.algorithms)) ?? []), ...(isRounded ? [ROUNDED] : [])]
    const key = secret ? { secret } : given === 'jwks' ? { jwks: input.jwks! } : { publicKey: input.publicKey! }
    const currentDate = input.currentDate === undefined ? now() : parseDate(input.currentDate)
    return { result: await jose.verify({ ...input, token, key, currentDate }), warnings }
  },
})

function parseDate(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw new Problem('INVALID_PARAM', { field: 'currentDate', allowed: 'ISO 8601' })
  return date
}
