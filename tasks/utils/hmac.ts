import { Type } from 'typebox'
import { Choice, define, exactlyOne, type InputFile, Problem, Secret } from '#kit'
import { readKey, readMac } from '../formats/encodings/secret-key.ts'
import { computeMac, isEqualMac } from './hmac/mac.ts'
import { PRESETS, type Preset, readDelivery, readDeliveryKey } from './hmac/presets.ts'
import { CONTENT_PRICE, contentFields } from './schema.ts'

interface Result {
  hmac?: string
  valid?: boolean
  reason?: 'header' | 'timestamp' | 'signature'
}

export default define({
  summary: 'Create or check an HMAC, or verify a webhook delivery.',
  keywords:
    'webhook signature, standard webhooks, svix, shared secret, sign message, sign a payload with a secret, stripe, github, signing, sign a jwt hs256',
  description:
    'With `verify`, the answer only says whether the given HMAC is right. With `preset`, the headers and the raw body of ' +
    'a delivery are verified as its sender documents, including the timestamp. The key is never stored.',
  price: CONTENT_PRICE,
  uses: [],
  instant: { maxBytes: 65_536 },
  input: Type.Object({
    ...contentFields('The signed content'),
    key: Secret({ minLength: 1, maxLength: 8192, description: 'The shared secret.' }),
    keyEncoding: Choice(['utf8', 'hex', 'base64'], { default: 'utf8' }),
    algorithm: Choice(['sha256', 'sha512', 'sha1'], { default: 'sha256' }),
    encoding: Choice(['hex', 'base64', 'base64url'], { default: 'hex' }),
    verify: Type.Optional(
      Type.String({ maxLength: 256, description: 'An HMAC in `encoding`, compared in constant time.' }),
    ),
    preset: Type.Optional(
      Choice(PRESETS, {
        description:
          'The sender of the webhook delivery to verify. `standard-webhooks`: by its headers webhook-id, -timestamp and -signature; ' +
          '`svc-webhook`: by X-Service-Timestamp and X-Service-Signature. Our deliveries have both.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 8192 }), {
        maxProperties: 100,
        description: 'The headers of the delivery; their case does not matter.',
      }),
    ),
    body: Type.Optional(Type.String({ description: 'The raw body of the delivery, instead of text or file.' })),
    toleranceSec: Type.Integer({
      default: 300,
      minimum: 0,
      maximum: 86_400,
      description: 'The maximum age of a delivery.',
    }),
  }),
  output: Type.Object({
    hmac: Type.Optional(Type.String()),
    valid: Type.Optional(Type.Boolean()),
    reason: Type.Optional(
      Choice(['header', 'timestamp', 'signature'], { description: 'Why a delivery is not valid.' }),
    ),
  }),
  errors: ['CONFLICTING_OPTIONS', 'KEY_INVALID'],
  examples: [
    {
      title: 'Sign a text',
      input: { text: 'what do ya want for nothing?', key: 'Jefe' },
      answer: { hmac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843' },
    },
    {
      title: 'Verify a delivery from GitHub',
      input: {
        preset: 'github',
        key: "It's a Secret to Everybody",
        headers: { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
        body: 'Hello, World!',
      },
      answer: { valid: true },
    },
  ],

  async run(input, { now }) {
    const own = input.preset && readDeliveryKey(input.preset, input.key)
    const key = own ?? readKey(input.key, input.keyEncoding)
    return {
      result: input.preset ? await verifyDelivery(input, input.preset, key, now()) : await signOrCompare(input, key),
    }
  },
})

interface Request {
  text?: string
  file?: InputFile
  algorithm: string
  encoding: 'hex' | 'base64' | 'base64url'
  verify?: string
  headers?: Record<string, string>
  body?: string
  toleranceSec: number
}

async function verifyDelivery(input: Request, preset: Preset, key: Buffer, now: Date): Promise<Result> {
  const given = exactlyOne(input, ['body', 'text', 'file'])
  const hasOwnOptions = input.algorithm !== 'sha256' || input.encoding !== 'hex' || input.verify !== undefined
  if (hasOwnOptions) throw new Problem('CONFLICTING_OPTIONS', { fields: ['preset', 'algorithm', 'encoding', 'verify'] })
  if (!input.headers) throw new Problem('MISSING_FIELD', { field: 'headers' })
  const delivery = readDelivery(preset, input.headers, now, input.toleranceSec)
  if ('reason' in delivery) return { valid: false, reason: delivery.reason }
  const computed = await computeMac('sha256', key, delivery.prefix, input[given]!)
  const isValid = delivery.signatures.map(signature => isEqualMac(computed, signature)).includes(true)
  return isValid ? { valid: true } : { valid: false, reason: 'signature' }
}

async function signOrCompare(input: Request, key: Buffer): Promise<Result> {
  for (const field of ['headers', 'body'] as const) {
    if (input[field] !== undefined) throw new Problem('CONFLICTING_OPTIONS', { fields: [field], needs: 'preset' })
  }
  const given = exactlyOne(input, ['text', 'file'])
  const computed = await computeMac(input.algorithm, key, '', input[given]!)
  if (input.verify === undefined) return { hmac: computed.toString(input.encoding) }
  return { valid: isEqualMac(computed, readMac(input.verify, input.encoding)) }
}
