import { Type } from 'typebox'
import { exactlyOne, type Price, Problem, type ProblemCode, usd } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { Box, Countries, Coverage, Language, LIMIT_MS, PlaceReply, Position, Types, Warnings } from '../fields.ts'

const Query = Type.String({ minLength: 1, maxLength: 256 })

const Body = Type.Object(
  {
    query: Type.Optional(Query),
    address: Type.Optional(
      Type.Object(
        {
          street: Type.Optional(Query),
          houseNumber: Type.Optional(Query),
          city: Type.Optional(Query),
          state: Type.Optional(Query),
          postalCode: Type.Optional(Query),
          country: Type.Optional(Query),
        },
        { additionalProperties: false, minProperties: 1 },
      ),
    ),
    queries: Type.Optional(Type.Array(Query, { minItems: 1, maxItems: 100, description: 'Answered in their order.' })),
    limit: Type.Integer({ default: 5, minimum: 1, maximum: 20 }),
    language: Language,
    countries: Countries,
    near: Type.Optional(
      Type.Object(
        { ...Position, radiusKm: Type.Number({ default: 50, exclusiveMinimum: 0, maximum: 20_000 }) },
        { additionalProperties: false, description: 'Only within this circle.' },
      ),
    ),
    bbox: Type.Optional(Box),
    minConfidence: Type.Number({ default: 0, minimum: 0, maximum: 1 }),
    types: Types,
  },
  { additionalProperties: false },
)

const PRICE: Price<{ queries?: readonly string[] }> = {
  ...{ unit: 'query', rateMicros: usd('0.002'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 100 },
  units: ({ queries }) => queries?.length ?? 1,
}

const Results = Type.Object({ results: Type.Array(PlaceReply), warnings: Warnings })

export default route({
  at: 'POST /v1/location/geocode',
  summary: 'Find the coordinates of a place by its name or address.',
  keywords:
    'coordinates of an address, geocoding, address to coordinates, latitude longitude, where is, city lookup, time zone of a city, postcode, zip code, how far is one city from another, distance of two cities by their coordinates, distance in km between two cities',
  description:
    'Give query, address or queries. Our own gazetteer knows the towns, postcodes, regions and countries that the operator has ' +
    'loaded, not streets; until then, with `coverage` sample, it knows some 270 large cities alone. Where the operator has a ' +
    'provider, `engine` names it. A place that is not found gives an empty list.',
  auth: BILLABLE_AUTH,
  needs: ['geocoder'],
  body: Body,
  reply: {
    status: 200,
    schema: Type.Object({
      results: Type.Optional(Type.Array(PlaceReply)),
      answers: Type.Optional(Type.Array(Results, { description: 'One for each of `queries`.' })),
      warnings: Warnings,
      ...Coverage,
    }),
  },
  price: PRICE,
  errors: [
    ...['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'MISSING_FIELD', 'OPTION_UNSUPPORTED', 'PAYMENT_REQUIRED'],
    ...['INSUFFICIENT_BALANCE', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE'],
  ] as ProblemCode[],
  examples: [
    { title: 'A city, by its name in another language', input: { query: 'München' } },
    { title: 'Several places at once', input: { queries: ['Springfield, IL', 'Roma, Italy'], limit: 1 } },
  ],

  async handle({ body, job }, { geocoders }) {
    const { query, address, queries, ...options } = body
    const kind = exactlyOne(body, ['query', 'address', 'queries'])
    if (body.bbox && body.bbox[1]! > body.bbox[3]!) throw new Problem('INVALID_PARAM', { field: 'bbox' })
    const questions = (queries ?? [query ?? address!]).map(one => ({ ...options, query: one }))
    const paid = { paidMicros: job?.chargeMicros ?? 0n, signal: AbortSignal.timeout(LIMIT_MS) }
    const { answers, ...source } = await geocoders.geocode(questions, paid)
    return { ...(kind === 'queries' ? { answers } : answers[0]), ...source }
  },
})
