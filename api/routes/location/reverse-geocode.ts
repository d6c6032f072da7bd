import { Type } from 'typebox'
import { Choice, exactlyOne, type Price, Problem, usd } from '#kit'
import { type AreaQuestion, askGazetteer } from '../../../sql/place/gazetteer.ts'
import { BILLABLE_AUTH } from '../../intake/billable.ts'
import { Coverage, KINDS, Language, PlaceReply, Position } from '../../places/fields.ts'
import { showCoverage, showPlace } from '../../places/show.ts'
import { route } from '../../route.ts'

const Point = Type.Object(Position, { additionalProperties: false })

const PRICE: Price<{ points?: readonly unknown[] }> = {
  ...{ unit: 'point', rateMicros: usd('0.002'), baseMicros: 0n, basis: 'body', minUnits: 1, maxUnits: 100 },
  units: ({ points }) => points?.length ?? 1,
}

export default route({
  at: 'POST /v1/location/reverse-geocode',
  summary: 'Find the place at some coordinates.',
  keywords: 'coordinates to address, which city, nearest town, latitude longitude lookup',
  description:
    'Give lat and lng, or points. The nearest places come first, each with its distance; where there is none, as at sea, the ' +
    'list is empty.',
  auth: BILLABLE_AUTH,
  body: Type.Object(
    {
      lat: Type.Optional(Position.lat),
      lng: Type.Optional(Position.lng),
      points: Type.Optional(Type.Array(Point, { minItems: 1, maxItems: 100, description: 'Answered in their order.' })),
      language: Language,
      radiusM: Type.Integer({ default: 25_000, minimum: 1, maximum: 50_000 }),
      types: Type.Array(Choice(KINDS), { default: [], maxItems: KINDS.length }),
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
  errors: ['INVALID_PARAM', 'CONFLICTING_OPTIONS', 'MISSING_FIELD', 'PAYMENT_REQUIRED', 'INSUFFICIENT_BALANCE'],
  examples: [{ title: 'The city at a point', input: { lat: 48.85, lng: 2.35 } }],

  async handle({ body }, { db }) {
    const { lat, lng, types, limit, radiusM, language } = body
    const isOne = exactlyOne({ ...body, lat: lat ?? lng }, ['lat', 'points']) === 'lat'
    if (isOne && (lat === undefined || lng === undefined))
      throw new Problem('MISSING_FIELD', { field: lat === undefined ? 'lat' : 'lng' })
    const questions = (isOne ? [{ lat: lat!, lng: lng! }] : body.points!).map(
      point =>
        ({
          ...{ countries: [], within: [], features: [], kinds: types, limit, order: 'distance' },
          near: { ...point, radiusM },
        }) satisfies AreaQuestion,
    )
    const { data, answers } = await askGazetteer(db, questions)
    const shown = answers.map(found => ({ results: found.map(place => showPlace(place, data.source, language)) }))
    return { ...(isOne ? shown[0] : { answers: shown }), ...showCoverage(data) }
  },
})
