import { Type } from 'typebox'
import { Choice, exactlyOne, Problem, perCall } from '#kit'
import { CATEGORIES } from '../../../../tasks/engines/gazetteer/categories.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { Box, Coverage, LIMIT_MS, Position } from '../fields.ts'

const Place = Type.Object({
  placeId: Type.String(),
  name: Type.String(),
  categories: Type.Array(Type.String()),
  ...Position,
  distanceM: Type.Optional(Type.Integer({ minimum: 0 })),
  population: Type.Optional(Type.Integer({ minimum: 1 })),
  countryCode: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
  phone: Type.Optional(Type.String()),
  website: Type.Optional(Type.String()),
  hours: Type.Optional(Type.String({ description: 'As the provider writes them.' })),
  source: Type.String(),
})

export default route({
  at: 'POST /v1/location/place-search',
  summary: 'List the places around a point or in a box, by name or category.',
  keywords: 'points of interest, poi, nearby, cities in area, airports near, museums around',
  description:
    'Give near or bbox, and a query, categories or both. Our own gazetteer has no addresses, opening hours and telephone ' +
    'numbers; where the operator has a provider, `engine` names it.',
  auth: BILLABLE_AUTH,
  needs: ['geocoder'],
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
      openNow: Type.Boolean({ default: false, description: 'Needs a provider that knows opening hours.' }),
      limit: Type.Integer({
        default: 20,
        minimum: 1,
        maximum: 50,
        description: 'At most; some providers give 10 or 20.',
      }),
      language: Type.Optional(
        Type.String({ pattern: '^[A-Za-z]{2,3}$', description: 'Of the names, where a provider has several.' }),
      ),
      sort: Choice(['relevance', 'distance'], { default: 'relevance', description: '`relevance`: the largest first.' }),
    },
    { additionalProperties: false },
  ),
  reply: {
    status: 200,
    schema: Type.Object({ places: Type.Array(Place), quality: Choice(['basic', 'full']), ...Coverage }),
  },
  price: perCall('0.003'),
  errors: [
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'MISSING_FIELD',
    'CATEGORY_UNKNOWN',
    'OPTION_UNSUPPORTED',
    'PROVIDER_NOT_CONFIGURED',
    'PROVIDER_UNAVAILABLE',
    'PAYMENT_REQUIRED',
    'INSUFFICIENT_BALANCE',
  ],
  examples: [
    {
      title: 'Cities within 50 km',
      input: { near: { lat: 52.4, lng: 13.1 }, radiusM: 50_000, categories: ['city'], sort: 'distance' },
    },
  ],

  async handle({ body, job }, { geocoders }) {
    const { query, categories, bbox, sort } = body
    const isCircle = exactlyOne(body, ['near', 'bbox']) === 'near'
    if (query === undefined && categories.length === 0)
      throw new Problem('MISSING_FIELD', { field: 'query', oneOf: ['query', 'categories'] })
    if (sort === 'distance' && !isCircle) throw new Problem('CONFLICTING_OPTIONS', { fields: ['sort', 'bbox'] })
    if (bbox && bbox[1]! > bbox[3]!) throw new Problem('INVALID_PARAM', { field: 'bbox' })
    const unknown = categories.find(name => !Object.hasOwn(CATEGORIES, name))
    if (unknown !== undefined)
      throw new Problem('CATEGORY_UNKNOWN', { category: unknown, allowed: Object.keys(CATEGORIES) })
    const paid = { paidMicros: job?.chargeMicros ?? 0n, signal: AbortSignal.timeout(LIMIT_MS) }
    return geocoders.search(body, paid)
  },
})
