import { type Static, Type } from 'typebox'
import type { BatonShape } from '../../../../tasks/products/baton/tiers.ts'
import { route } from '../../../route.ts'
import { extend, priceExtension } from '../extension.ts'
import { BatonId, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { BATON_FIELDS } from '../fields/create.ts'
import { QUOTED_PRICE } from '../rates.ts'

const Digits = Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' }))
const Body = Type.Object(
  {
    addDurationSeconds: Digits,
    addSizeBytes: Digits,
    addEgressBytes: Digits,
    addWritesAllowed: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { minProperties: 1, additionalProperties: false },
)

function readAddition(body: Static<typeof Body>): BatonShape {
  return {
    sizeBytes: BigInt(body.addSizeBytes ?? 0),
    durationSeconds: BigInt(body.addDurationSeconds ?? 0),
    egressBytes: BigInt(body.addEgressBytes ?? 0),
    writes: BigInt(body.addWritesAllowed ?? 0),
    reads: 0n,
  }
}

export default route({
  at: 'POST /v1/baton/{id}/extend',
  summary: 'Add time, size, egress or writes to a baton that you own.',
  keywords: 'keep longer, more time, prolong, renew, more space, more quota, make a stored file live longer',
  auth: OWNER_AUTH,
  params: BatonId,
  body: Body,
  reply: { status: 200, schema: Type.Object(BATON_FIELDS) },
  price: QUOTED_PRICE,
  errors: [...USE_ERRORS, 'PAYMENT_REQUIRED', 'INVALID_SHAPE', 'VERSION_CONFLICT'],
  examples: [{ title: 'A day more', input: { addDurationSeconds: '86400' } }],
  countUnits: ({ caller, params, body }, context) => priceExtension(context, caller, params.id, readAddition(body)),
  settles: true,
  handle: ({ caller, params, body, job }, context) => extend(context, caller, params.id, readAddition(body), job!),
})
