import { Type } from 'typebox'
import { exactlyOne, type Price, Problem, type ProblemCode, usd } from '#kit'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { Coverage, Language, LIMIT_MS, PlaceReply, Position, Types } from '../fields.ts'

const Point = Type.Object(Position, { additionalProperties: false })

const PRICE: Price<{ points?: readonly unknown[] }> = {
  ...{ unit: 'point', rateMicros: usd('0.002'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 100 },
  units: ({ points }) => points?.length ?? 1,
}

export default route({
  at: 'POST /v1/location/reverse-geocode',
  summary: 'Find the place at some coordinates.',
  keywords:
    'address of these coordinates, street at a point, coordinates to address, which city, nearest town, latitude longitude lookup, which address is at these coordinates',
  description:
    'Give lat and lng, or points. The nearest places come first, each with its distance; where there is none, as at sea, the ' +
    'list is empty.',
  auth: BILLABLE_AUTH,
  needs: ['geocoder'],
  body: Type.Object(
    {
      lat: Type.Optional(Position.lat),
      lng: Type.Optional(Position.lng),
      points: Type.Optional(Type.Array(Point, { minItems: 1, maxItems: 100, description: 'Answered in their order.' })),
      language: Language,
      radiusM: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 50_000,
          description: 'How far a result may be: of the gazetteer 25,000 by default, of a provider its own.',
        }),
      ),
      types: Types,
      limit: Type.Integer({ default: 1, minimum: 1, maximum: 20 }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({
      results: Type.Optional(Type.Array(PlaceReply)),
      answers: Type.Optional(
        Type.Array(Type.Object({ results: Type.Array(PlaceReply) }), { description: 'One for each of `points`.' }),
      ),
      ...Coverage,
    }),
  },
  price: PRICE,
  errors: [
    ...['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'MISSING_FIELD', 'OPTION_UNSUPPORTED', 'PAYMENT_REQUIRED'],
    ...['INSUFFICIENT_BALANCE', 'PROVIDER_NOT_CONFIGURED', 'PROVIDER_UNAVAILABLE'],
  ] as ProblemCode[],
  examples: [{ title: 'The city at a point', input: { lat: 48.85, lng: 2.35 } }],

  async handle({ body, job }, { geocoders }) {
    const { lat, lng, points, ...options } = body
    const isOne = exactlyOne({ ...body, lat: lat ?? lng }, ['lat', 'points']) === 'lat'
    if (isOne && (lat === undefined || lng === undefined))
      throw new Problem('MISSING_FIELD', { field: lat === undefined ? 'lat' : 'lng' })
    const questions = (isOne ? [{ lat: lat!, lng: lng! }] : points!).map(point => ({ ...options, point }))
    const paid = { paidMicros: job?.chargeMicros ?? 0n, signal: AbortSignal.timeout(LIMIT_MS) }
    const { answers, ...source } = await geocoders.reverse(questions, paid)
    return { ...(isOne ? answers[0] : { answers }), ...source }
  },
})
