import { Problem } from '#kit'
import type {
  Address,
  AreaQuestion,
  GeocodeQuestion,
  ListedPlace,
  Place,
  PlaceAnswers,
  ReverseQuestion,
} from '../../../tasks/engines/gazetteer/answer.ts'
import { type LatLng, measureDistance } from '../../../tasks/engines/roads/sphere.ts'
import { countCall, type OnCall } from '../ask-in-order.ts'
import type { LocationCall } from '../location/settings.ts'
import { isInBox } from './area.ts'
import type { Geocoder, PlaceAdapter } from './contract.ts'

/** Questions of one call that are asked at once. */
const AT_ONCE = 8

interface Options {
  costOf(call: LocationCall): number
  onCall: OnCall
}

/** Asks a provider question by question, and leaves out of its answers what does not fit, so that every option counts. */
export function openProviderGeocoder(adapter: PlaceAdapter, { costOf, onCall }: Options): Geocoder {
  const { id, attribution, ratesMatches, maxQuestions } = adapter
  const source = { engine: id, coverage: 'full', attribution } as const
  const count = <Answer>(call: LocationCall, ask: () => Promise<Answer>) =>
    countCall(onCall, { provider: id, call, costMicros: costOf(call) }, ask)

  async function answerAll<Question>(
    questions: readonly Question[],
    answer: (question: Question) => Promise<Place[]>,
  ): Promise<PlaceAnswers> {
    if (maxQuestions !== undefined && questions.length > maxQuestions)
      throw new Problem('OPTION_UNSUPPORTED', { provider: id, reason: 'its terms allow no lists of questions' })
    return { ...source, answers: (await mapSome(questions, answer)).map(results => ({ results })) }
  }

  return {
    id,
    geocode: (questions, signal) =>
      answerAll(questions, async question => {
        if (question.minConfidence > 0 && !ratesMatches) refuseOption(id, 'minConfidence')
        const places = await count('geocode', () => adapter.geocode(question, signal))
        return keepFitting(places, question)
      }),
    reverse: (questions, signal) =>
      answerAll(questions, async question => {
        const places = await count('reverse-geocode', () => adapter.reverse(question, signal))
        return keepNear(places, question)
      }),
    async search(question, signal) {
      const places = await count('place-search', () => adapter.search(question, signal))
      return { ...source, quality: 'full', places: keepInArea(places, question) }
    },
  }
}

async function mapSome<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const runners = Array.from({ length: Math.min(AT_ONCE, items.length) }, async () => {
    for (const [index, item] of queue) results[index] = await run(item)
  })
  await Promise.all(runners)
  return results
}

function keepFitting(places: readonly Place[], question: GeocodeQuestion): Place[] {
  const { countries, near, bbox, types, minConfidence, limit } = question
  const codes = countries.map(code => code.toUpperCase())
  return places
    .map(place => (near ? { ...place, distanceM: Math.round(measureDistance(near, place)) } : place))
    .filter(
      ({ distanceM = 0, components, precision, confidence = 0, ...place }) =>
        (codes.length === 0 || codes.includes(components.countryCode ?? '')) &&
        (!near || distanceM <= near.radiusKm * 1_000) &&
        (!bbox || isInBox(bbox, place)) &&
        (types.length === 0 || types.includes(precision)) &&
        (minConfidence === 0 || confidence >= minConfidence),
    )
    .slice(0, limit)
}

/** A place is as far as its point; without a radius the provider knows what a point lies in. */
function keepNear(places: readonly Place[], { point, radiusM = Infinity, types, limit }: ReverseQuestion): Place[] {
  return places
    .map(place => ({ ...place, distanceM: Math.round(measureDistance(point, place)) }))
    .filter(({ precision, distanceM }) => distanceM <= radiusM && (types.length === 0 || types.includes(precision)))
    .slice(0, limit)
}

function keepInArea(places: readonly ListedPlace[], { near, bbox, radiusM, sort, limit }: AreaQuestion): ListedPlace[] {
  const byId = new Map(places.map(place => [place.placeId, place]))
  const fitting = [...byId.values()]
    .map(place => (near ? { ...place, distanceM: Math.round(measureDistance(near, place)) } : place))
    .filter(place => (bbox ? isInBox(bbox, place) : (place.distanceM ?? 0) <= radiusM))
  if (sort === 'distance') fitting.sort((one, other) => (one.distanceM ?? 0) - (other.distanceM ?? 0))
  return fitting.slice(0, limit)
}

/** An address as one line, the way most countries write it. */
export function joinAddress({ street, houseNumber, city, state, postalCode, country }: Address): string {
  const line = [street, houseNumber].filter(Boolean).join(' ')
  const town = [postalCode, city].filter(Boolean).join(' ')
  return [line, town, state, country].filter(Boolean).join(', ')
}

export function refuseOption(provider: string, option: string, value?: string): never {
  throw new Problem('OPTION_UNSUPPORTED', { provider, option, ...(value && { value }) })
}

/** Reads an answer; whatever it lacks makes it a bad one. */
export function readAnswer<Result>(provider: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('PROVIDER_UNAVAILABLE', { provider, reason: 'its answer has not the expected form' })
  }
}

/** The features of an answer in GeoJSON. */
export function readFeatures<Feature>(provider: string, answer: unknown): Feature[] {
  return readAnswer(provider, () => {
    const { features } = answer as { features?: unknown }
    if (!Array.isArray(features)) throw new TypeError('no list')
    return features as Feature[]
  })
}

export function readPoint(lat: unknown, lng: unknown): LatLng {
  const point = { lat: Number(lat), lng: Number(lng) }
  const isPoint = [lat, lng].every(value => typeof value === 'number' || (typeof value === 'string' && value !== ''))
  if (!isPoint || !(Math.abs(point.lat) <= 90) || !(Math.abs(point.lng) <= 180)) throw new TypeError('no point')
  return point
}

export function readText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new TypeError('no text')
  return value
}

/** Texts that are there; a provider may leave out any of them. */
export function keepTexts<Name extends string>(texts: Readonly<Record<Name, unknown>>): Partial<Record<Name, string>> {
  const entries = Object.entries(texts).filter(([, text]) => typeof text === 'string' && text !== '')
  return Object.fromEntries(entries) as Partial<Record<Name, string>>
}
