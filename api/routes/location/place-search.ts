import { Type } from 'typebox'
import { Choice, exactlyOne, Problem, perCall } from '#kit'
import { type AreaQuestion, askGazetteer } from '../../../sql/place/gazetteer.ts'
import { CATEGORIES, categoriesOf } from '../../../tasks/formats/places/categories.ts'
import { foldName } from '../../../tasks/formats/places/fold.ts'
import { BILLABLE_AUTH } from '../../intake/billable.ts'
import { Box, Coverage, Position } from '../../places/fields.ts'
import { showCoverage } from '../../places/show.ts'
import { route } from '../../route.ts'

const Place = Type.Object({
  placeId: Type.String(),
  name: Type.String(),
  categories: Type.Array(Type.String()),
  ...Position,
  distanceM: Type.Optional(Type.Integer({ minimum: 0 })),
  population: Type.Optional(Type.Integer({ minimum: 1 })),
  countryCode: Type.String(),
  source: Type.String(),
})

export default route({
  at: 'POST /v1/location/place-search',
  summary: 'List the places around a point or in a box, by name or category.',
  keywords: 'points of interest, poi, nearby, cities in area, airports near, museums around',
  description:
    'Give near or bbox, and a query, categories or both. Names and categories come from the gazetteer; there are no ' +
    'opening hours and no telephone numbers.',
  auth: BILLABLE_AUTH,
  body: Type.Object(
    {
      query: Type.Optional(Type.String({ minLength: 2, maxLength: 256, description: 'Part of the name.' })),
      categories: Type.Array(Type.String({ maxLength: 40 }), {
        default: [],
        maxItems: 20,
        description: `Of ${Object.keys(CATEGORIES).join(', ')}.`,
      }),
      near: Type.Optional(Type.Object(Position, { additionalProperties: false })),
      bbox: Type.Optional(Box),
      radiusM: Type.Integer({ default: 10_000, minimum: 1, maximum: 50_000, description: 'Around `near`.' }),
      limit: Type.Integer({ default: 20, minimum: 1, maximum: 50 }),
      sort: Choice(['relevance', 'distance'], { default: 'relevance', description: '`relevance`: the largest first.' }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({ places: Type.Array(Place), quality: Type.Literal('basic'), ...Coverage }),
  },
  price: perCall('0.003'),
  errors: [
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'MISSING_FIELD',
    'CATEGORY_UNKNOWN',
    'PAYMENT_REQUIRED',
    'INSUFFICIENT_BALANCE',
  ],
  examples: [
    {
      title: 'Cities within 50 km',
      input: { near: { lat: 52.4, lng: 13.1 }, radiusM: 50_000, categories: ['city'], sort: 'distance' },
    },
  ],

  async handle({ body }, { db }) {
    const { query, categories, near, bbox, radiusM, limit, sort } = body
    const isCircle = exactlyOne(body, ['near', 'bbox']) === 'near'
    if (query === undefined && categories.length === 0)
      throw new Problem('MISSING_FIELD', { field: 'query', oneOf: ['query', 'categories'] })
    if (sort === 'distance' && !isCircle) throw new Problem('CONFLICTING_OPTIONS', { fields: ['sort', 'bbox'] })
    if (bbox && bbox[1]! > bbox[3]!) throw new Problem('INVALID_PARAM', { field: 'bbox' })
    const unknown = categories.find(name => !Object.hasOwn(CATEGORIES, name))
    if (unknown !== undefined)
      throw new Problem('CATEGORY_UNKNOWN', { category: unknown, allowed: Object.keys(CATEGORIES) })
    const question: AreaQuestion = {
      ...{ countries: [], within: [], kinds: [], limit, order: sort },
      features: categories.flatMap(name => CATEGORIES[name]!),
      ...(query !== undefined && { name: foldName(query) }),
      ...(near && { near: { ...near, radiusM } }),
      ...(bbox && { bbox }),
    }
    const { data, answers } = await askGazetteer(db, [question])
    const places = answers[0]!.map(found => ({
      ...{ placeId: found.id, name: found.name, categories: categoriesOf(found.feature) },
      ...{ lat: found.lat, lng: found.lng, countryCode: found.country, source: data.source },
      ...(found.distanceM !== null && { distanceM: found.distanceM }),
      ...(found.population > 0 && { population: found.population }),
    }))
    return { places, quality: 'basic', ...showCoverage(data) }
  },
})
