import { product } from '#kit'
import type { Tier } from '../../formats/language/tiers.ts'
import type { Dictionaries, EmbeddingOffer, ModelOffer, ServiceOffer, ServiceTool } from './offer.ts'

const language = product({
  title: 'Language',
  summary: 'Texts: summarised, classified, proofread, translated, embedded, and whatever else a language model does.',
  family: 'llm',
  otherFamilies: { openai: 'The OpenAI API.' },
  problems: {
    MODEL_NOT_FOUND: [404, 'There is no such model with a price; `models` and GET /v1/models list them.'],
    TASK_NOT_FOUND: [404, 'There is no such language task; `tasks` lists them.'],
    CEILING_EXCEEDED: [409, 'The call may cost more than maxCostMicros allows. Raise it, or shorten the text.'],
    SCHEMA_UNSATISFIED: [422, 'What the text says does not fit the schema.'],
    INPUT_TOO_LONG: [
      422,
      'A text is longer than the model takes. Shorten it, or cut it by `truncate: end` in /v1/llm/embed.',
    ],
    DIMENSIONS_UNSUPPORTED: [422, 'The model cannot give that many dimensions.'],
    JSON_UNREPAIRABLE: [422, 'The text cannot be made JSON without guessing.'],
  },
})

export default language

declare module '../../kit/product.ts' {
  interface Products {
    language: typeof language
  }
}

declare module '../../kit/operation.ts' {
  interface Offers {
    /** The models that have a price, by tier. */
    language?: Readonly<Record<Tier, ModelOffer>>
    dictionaries?: Dictionaries
    /** Who does a task, unless a language model does. */
    services?: { readonly [Tool in ServiceTool]?: ServiceOffer }
    /** The models that embed texts, in the order in which the operator names them. */
    embedding?: readonly EmbeddingOffer[]
    /** What conversations are held with. */
    chat?: {
      models: readonly ModelOffer[]
      /** Options that the API of the provider does not have. */
      lacks: readonly string[]
    }
  }
}
