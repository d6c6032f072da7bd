import { Type } from 'typebox'
import type { Entry } from '#kit'
import { route } from '../../route.ts'
import type { SurfaceOptions } from '../../surfaces/entries.ts'
import { listPrices } from '../../surfaces/prices.ts'
import { getSurface, sendDocument } from './schema.ts'

const Micros = Type.String({ pattern: '^[0-9]+$' })
const ListedPrice = Type.Object({
  method: Type.String(),
  path: Type.String(),
  unit: Type.String(),
  rateMicros: Micros,
  baseMicros: Micros,
  floorMicros: Micros,
  ceilingMicros: Micros,
  basis: Type.String({ enum: ['body', 'content'] }),
  variants: Type.Optional(
    Type.Array(Type.Object({ when: Type.String(), unit: Type.String(), rateMicros: Micros }), {
      description: 'Other rates. The first whose condition is met replaces unit and rate.',
    }),
  ),
  note: Type.Optional(Type.String({ description: 'When less is charged.' })),
})

function buildPrices(entries: readonly Entry[], { ratesOf }: SurfaceOptions) {
  const operations = listPrices(entries, ratesOf)
  return { contentType: 'application/json; charset=utf-8', text: JSON.stringify({ currency: 'USD', operations }) }
}

export default route({
  at: 'GET /v1/prices',
  summary: 'List the price of every operation, in millionths of a US dollar. `dryRun: true` in a call tells its own.',
  keywords:
    'price list, price before a call, quote, dry run, estimate, cap what a call may cost, maximum cost of a call, how much does a call cost, what does it cost, rates, fees',
  description: 'A call costs the base plus the units times the rate, but at least the floor and at most the ceiling.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({ currency: Type.String(), operations: Type.Record(Type.String(), ListedPrice) }),
  },
  errors: [],
  handle: async (call, context) => {
    sendDocument(call, await getSurface(context, 'prices', buildPrices), 60)
  },
})
