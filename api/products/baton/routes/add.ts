import { Type } from 'typebox'
import { Choice } from '#kit'
import { TIER_SHAPES, TIERS } from '../../../../tasks/products/baton/tiers.ts'
import { route } from '../../../route.ts'
import { extend, priceExtension } from '../extension.ts'
import { BatonId, OWNER_AUTH, USE_ERRORS } from '../fields/access.ts'
import { BATON_FIELDS } from '../fields/create.ts'
import { QUOTED_PRICE } from '../rates.ts'

export default route({
  at: 'POST /v1/baton/{id}/add',
  summary: 'Add a whole tier to a baton that you own: its size, time, egress, writes and reads.',
  keywords: 'double the quota, more of everything, bigger tier',
  auth: OWNER_AUTH,
  params: BatonId,
  body: Type.Object({ tier: Choice(TIERS) }, { additionalProperties: false }),
  reply: { status: 200, schema: Type.Object(BATON_FIELDS) },
  price: QUOTED_PRICE,
  errors: [...USE_ERRORS, 'PAYMENT_REQUIRED', 'INVALID_SHAPE', 'VERSION_CONFLICT'],
  examples: [{ title: 'Add the smallest tier', input: { tier: 'femto' } }],
  countUnits: ({ caller, params, body }, context) => priceExtension(context, caller, params.id, TIER_SHAPES[body.tier]),
  settles: true,
  handle: ({ caller, params, body, job }, context) =>
    extend(context, caller, params.id, { ...TIER_SHAPES[body.tier], tier: body.tier }, job!),
})
