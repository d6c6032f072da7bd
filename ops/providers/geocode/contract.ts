import type {
  AreaQuestion,
  GeocodeQuestion,
  ListedPlace,
  Place,
  PlaceAnswers,
  PlaceList,
  ReverseQuestion,
} from '../../../tasks/engines/gazetteer/answer.ts'

/** Finds places: our own gazetteer, or a provider. */
export interface Geocoder {
  id: string
  geocode(questions: readonly GeocodeQuestion[], signal: AbortSignal): Promise<PlaceAnswers>
  reverse(questions: readonly ReverseQuestion[], signal: AbortSignal): Promise<PlaceAnswers>
  search(question: AreaQuestion, signal: AbortSignal): Promise<PlaceList>
}

/** What a provider does with one question. It may give more than was asked for: what does not fit is left out afterwards. */
export interface PlaceAdapter {
  id: string
  /** What must be shown with its answers. */
  attribution: string
  /** Its results say how well they fit the question. */
  ratesMatches: boolean
  /** The most questions of one call, where its terms limit them. */
  maxQuestions?: number
  geocode(question: GeocodeQuestion, signal: AbortSignal): Promise<Place[]>
  reverse(question: ReverseQuestion, signal: AbortSignal): Promise<Place[]>
  search(question: AreaQuestion, signal: AbortSignal): Promise<ListedPlace[]>
}

/** What adapters keep between calls, for all processes together. */
export interface PlaceMemory {
  /** How long to wait before the next request to a provider that allows so many a second; undefined if that is too long. */
  takeTurn(provider: string, perSecond: number, maxWaitMs: number): Promise<number | undefined>
  read(key: string): Promise<unknown>
  keep(key: string, answer: unknown, days: number): Promise<void>
}

interface Paid {
  /** What the caller pays. */
  paidMicros: bigint
  signal: AbortSignal
}

/** All geocoders that are configured, the first of which answers if it can. */
export interface Geocoders {
  servedBy(): string | undefined
  geocode(questions: readonly GeocodeQuestion[], paid: Paid): Promise<PlaceAnswers>
  reverse(questions: readonly ReverseQuestion[], paid: Paid): Promise<PlaceAnswers>
  search(question: AreaQuestion, paid: Paid): Promise<PlaceList>
}
