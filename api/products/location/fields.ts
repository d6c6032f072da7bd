import { Type } from 'typebox'
import { Choice } from '#kit'
import { PRECISIONS } from '../../../tasks/engines/gazetteer/answer.ts'

export const Position = {
  lat: Type.Number({ minimum: -90, maximum: 90 }),
  lng: Type.Number({ minimum: -180, maximum: 180 }),
}

export const Box = Type.Array(Type.Number({ minimum: -180, maximum: 180 }), {
  minItems: 4,
  maxItems: 4,
  description: 'West, south, east and north in degrees; a box over the date line has a west larger than its east.',
})

export const Language = Type.String({
  default: 'en',
  pattern: '^[A-Za-z]{2,3}$',
  description: 'Of the names, such as de. The gazetteer has countries alone in several languages.',
})

export const Countries = Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
  default: [],
  maxItems: 50,
  description: 'Only in these, by their two-letter codes.',
})

export const Types = Type.Array(Choice(PRECISIONS), {
  default: [],
  maxItems: PRECISIONS.length,
  description: 'Only results of these kinds. The gazetteer has no streets and houses.',
})

/** What every answer says of the data behind it. */
export const Coverage = {
  engine: Type.String({ description: '`embedded`, or the provider that answered.' }),
  coverage: Choice(['sample', 'full'], {
    description:
      '`sample`: only some large cities, no regions, countries or postcodes; the operator has loaded no data.',
  }),
  attribution: Type.String({ description: 'Must be shown with the results.' }),
  dataDate: Type.Optional(Type.String()),
}

export const PlaceReply = Type.Object({
  placeId: Type.String(),
  name: Type.String(),
  formatted: Type.String(),
  ...Position,
  precision: Choice(PRECISIONS, { description: 'How near the point is to what was asked for.' }),
  confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Where the engine tells how well the result fits.' }),
  ),
  bbox: Type.Optional(Box),
  components: Type.Object({
    houseNumber: Type.Optional(Type.String()),
    street: Type.Optional(Type.String()),
    suburb: Type.Optional(Type.String()),
    city: Type.Optional(Type.String()),
    postcode: Type.Optional(Type.String()),
    district: Type.Optional(Type.String()),
    region: Type.Optional(Type.String()),
    regionCode: Type.Optional(Type.String()),
    country: Type.Optional(Type.String()),
    countryCode: Type.Optional(Type.String()),
  }),
  population: Type.Optional(Type.Integer({ minimum: 1 })),
  timezone: Type.Optional(Type.String()),
  distanceM: Type.Optional(Type.Integer({ minimum: 0 })),
  source: Type.String(),
})

export const Warnings = Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() })))

/** How long a provider may take for all questions of a call. */
export const LIMIT_MS = 20_000
