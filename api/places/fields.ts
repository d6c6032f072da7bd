import { Type } from 'typebox'
import { Choice } from '#kit'

export const KINDS = ['city', 'postcode', 'admin', 'country', 'point'] as const

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
  description: 'Of the names of countries, such as de.',
})

export const Countries = Type.Array(Type.String({ pattern: '^[A-Za-z]{2}$' }), {
  default: [],
  maxItems: 50,
  description: 'Only in these, by their two-letter codes.',
})

/** What every answer says of the data behind it. */
export const Coverage = {
  coverage: Choice(['sample', 'full'], {
    description: '`sample`: only some large cities; the operator has loaded no data.',
  }),
  attribution: Type.String({ description: 'Must be shown with the results.' }),
  dataDate: Type.String(),
}

export const PlaceReply = Type.Object({
  placeId: Type.String(),
  name: Type.String(),
  formatted: Type.String(),
  ...Position,
  precision: Choice(KINDS, { description: 'Never a street or a house: the data has none.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  components: Type.Object({
    city: Type.Optional(Type.String()),
    postcode: Type.Optional(Type.String()),
    district: Type.Optional(Type.String()),
    region: Type.Optional(Type.String()),
    regionCode: Type.Optional(Type.String()),
    country: Type.String(),
    countryCode: Type.String(),
  }),
  population: Type.Optional(Type.Integer({ minimum: 1 })),
  timezone: Type.Optional(Type.String()),
  distanceM: Type.Optional(Type.Integer({ minimum: 0 })),
  source: Type.String(),
})

export const Warnings = Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() })))
