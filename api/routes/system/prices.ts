import { Type } from 'typebox'
import type { Entry } from '#kit'
import { route } from '../../route.ts'
import { prices } from '../../surfaces/prices.ts'
import type { SurfaceOptions } from '../../surfaces/surface.ts'
import { sendDocument, surfaceOf } from './document-shape.ts'

const Micros = Type.String({ pattern: '^[0-9]+$' })
const Listed = Type.Object({
  method: Type.String(),
  path: Type.String(),
  unit: Type.String(),
  rateMicros: Micros,
  baseMicros: Micros,
  floorMicros: Micros,
  ceilingMicros: Micros,
  basis: Type.String({ enum: ['body', 'content'] }),
})

const make = (entries: readonly Entry[], { rateOf }: SurfaceOptions) => ({
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify({ currency: 'USD', operations: prices(entries, rateOf) }),
})

export default route({
  at: 'GET /v1/prices',
  summary: 'What every operation costs, in millionths of a US dollar.',
  description: 'A call costs base plus units times rate, never below the floor and never above the ceiling.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({ currency: Type.String(), operations: Type.Record(Type.String(), Listed) }),
  },
  errors: [],
  handle: async (asked, floor) => {
    sendDocument(asked, await surfaceOf(floor, make), 60)
  },
})
