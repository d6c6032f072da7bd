import type { Geocoder } from '../../../ops/providers/geocode/contract.ts'
import { refuseOption } from '../../../ops/providers/geocode/provider.ts'
import type { Db } from '../../../sql/db.ts'
import { type AreaQuestion as AreaAsk, askGazetteer, type FoundPlace } from '../../../sql/location/gazetteer.ts'
import type { AreaQuestion, GeocodeQuestion, ListedPlace } from '../../../tasks/engines/gazetteer/answer.ts'
import { CATEGORIES, categoriesOf } from '../../../tasks/engines/gazetteer/categories.ts'
import { foldName } from '../../../tasks/engines/gazetteer/fold.ts'
import { buildNameQuestion, readAddress, readQuery } from './questions.ts'
import { LIMITED_PRECISION, rateConfidence, showPlace, showSource } from './show.ts'

const ID = 'embedded'
/** Around a point of reverse-geocode. */
const RADIUS_M = 25_000

/** Our own gazetteer as a geocoder: all questions of a call are answered by one query. */
export function createGazetteer(db: Db): Geocoder {
  return {
    id: ID,
    async geocode(questions) {
      const asked = questions.map(readQuestion)
      const { data, answers } = await askGazetteer(
        db,
        asked.map((query, index) => buildNameQuestion(query, questions[index]!)),
      )
      const shown = answers.map((found, index) => {
        const { minConfidence, language } = questions[index]!
        const results = found
          .filter(place => rateConfidence(place) >= minConfidence)
          .map(place => showPlace(place, data.source, language))
        return { results, ...(asked[index]!.hasHouseNumber && { warnings: [LIMITED_PRECISION] }) }
      })
      return { ...showSource(data), answers: shown }
    },
    async reverse(questions) {
      const asks = questions.map(
        ({ point, radiusM = RADIUS_M, types, limit }) =>
          ({
            ...{ countries: [], within: [], features: [], kinds: types, limit, order: 'distance' },
            near: { ...point, radiusM },
          }) satisfies AreaAsk,
      )
      const { data, answers } = await askGazetteer(db, asks)
      const shown = answers.map((found, index) => ({
        results: found.map(place => showPlace(place, data.source, questions[index]!.language)),
      }))
      return { ...showSource(data), answers: shown }
    },
    async search(question) {
      const { data, answers } = await askGazetteer(db, [buildAreaAsk(question)])
      return { ...showSource(data), quality: 'basic', places: answers[0]!.map(found => listPlace(found, data.source)) }
    },
  }
}

function readQuestion({ query, language }: GeocodeQuestion) {
  return typeof query === 'string' ? readQuery(query, language) : readAddress(query, language)
}

/** It has names in one language, and no opening hours. */
function buildAreaAsk({
  query,
  categories,
  near,
  bbox,
  radiusM,
  openNow,
  limit,
  language,
  sort,
}: AreaQuestion): AreaAsk {
  if (openNow) refuseOption(ID, 'openNow')
  if (language !== undefined) refuseOption(ID, 'language')
  return {
    ...{ countries: [], within: [], kinds: [], limit, order: sort },
    features: categories.flatMap(name => CATEGORIES[name]!),
    ...(query !== undefined && { name: foldName(query) }),
    ...(near && { near: { ...near, radiusM } }),
    ...(bbox && { bbox }),
  }
}

function listPlace(
  { id, name, feature, lat, lng, country, distanceM, population }: FoundPlace,
  source: string,
): ListedPlace {
  return {
    ...{ placeId: id, name, categories: categoriesOf(feature), lat, lng, countryCode: country, source },
    ...(distanceM !== null && { distanceM }),
    ...(population > 0 && { population }),
  }
}
