import { Type } from 'typebox'
import { Choice } from '#kit'
import { JOB_STATUSES } from '../../routes/jobs/schema.ts'

const Micros = Type.String({ pattern: '^\\d+$' })
const MaybeText = Type.Union([Type.String(), Type.Null()])
const Digest = Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()])
const Time = Type.String({ format: 'date-time' })
const MaybeTime = Type.Union([Time, Type.Null()])

const Payload = Type.Object({
  typ: Type.String(),
  issuer: Type.String({ description: 'The address of this service.' }),
  issued_at: Time,
  job_id: Type.String({ format: 'uuid' }),
  operation: Type.String(),
  method: MaybeText,
  path: MaybeText,
  status: Choice(JOB_STATUSES),
  problem: MaybeText,
  request_sha256: Type.Union(Digest.anyOf, {
    description:
      'Of method, path with query, and content type, each with a line feed behind it, and then the body: JSON as it was sent, of raw bytes their SHA-256 in hexadecimal. Null if the body had more than 64 KiB and the call neither an Idempotency-Key nor a payment.',
  }),
  inputs: Type.Array(Type.Object({ field: Type.String(), size: Type.Integer(), sha256: Digest }), {
    description: 'The files that went in. The hash is null where it was neither known nor soon computed.',
  }),
  result_sha256: Type.Union(Digest.anyOf, {
    description: 'Of the canonical JSON (RFC 8785) of `result` as GET /v1/jobs/{id} shows it, if it has no files.',
  }),
  outputs: Type.Array(Type.Object({ content_type: Type.String(), size: Type.Integer(), sha256: Digest })),
  price: Type.Object({
    currency: Type.String(),
    unit: MaybeText,
    rate_micros: Type.Union([Micros, Type.Null()]),
    held_micros: Micros,
    charged_micros: Micros,
  }),
  payer: Type.Object({
    account_id: Type.String(),
    wallet: Type.Optional(Type.String()),
    network: Type.Optional(Type.String()),
    asset: Type.Optional(Type.String()),
    transaction: Type.Optional(Type.String({ description: 'The one that paid for this call by itself.' })),
  }),
  created_at: Time,
  started_at: MaybeTime,
  finished_at: MaybeTime,
})

export const ReceiptReply = Type.Object({
  receipt: Type.String({ description: 'Compact JWS (EdDSA) over the canonical JSON (RFC 8785) of the payload.' }),
  payload: Payload,
  kid: Type.String({ description: 'The key that it was signed with.' }),
  verifyWith: Type.String({ description: 'Where the public keys are. Take no address from the JWS itself.' }),
})
