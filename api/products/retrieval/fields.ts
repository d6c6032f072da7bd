import { type Static, Type } from 'typebox'
import { Choice } from '#kit'
import { TIERS } from '../../../tasks/formats/language/tiers.ts'
import { LanguageUsage } from '../../../tasks/formats/language/usage.ts'
import { STYLES } from '../../../tasks/products/retrieval/ask.ts'
import { QuotasReply, Words } from '../baton/index.ts'
import { Filter, Metadata, Namespace } from '../vector/index.ts'

const MAX_QUESTION_CHARS = 2_000

/** How a question is asked, of whatever texts. */
const QUESTION_FIELDS = {
  question: Words(MAX_QUESTION_CHARS, 'What to answer, in up to 2,000 characters.'),
  namespace: Namespace,
  filter: Type.Optional(Filter),
  hybrid: Type.Optional(
    Type.Object(
      {
        alpha: Type.Number({
          minimum: 0,
          maximum: 1,
          default: 0.5,
          description: '1: by vectors only, 0: by words only.',
        }),
      },
      {
        additionalProperties: false,
        description:
          'Find by the words of the texts (BM25) too, as is done anyway where wording is compared; alpha 1 leaves it out.',
      },
    ),
  ),
  topK: Type.Integer({ minimum: 1, maximum: 50, default: 6, description: 'How many texts are read for the answer.' }),
  minScore: Type.Optional(
    Type.Number({
      ...{ minimum: 0, maximum: 1 },
      description: 'Texts that score less are not relevant. Left out: 0.15 where wording is compared, 0.3 for meaning.',
    }),
  ),
  tier: Choice(TIERS, { default: 'value', description: 'How good the language model is, where one is asked.' }),
  method: Choice(['auto', 'extractive', 'provider'], {
    default: 'auto',
    description: '`extractive`: never ask a model; `provider`: only a model; `auto`: a model where there is one.',
  }),
  style: Choice(STYLES, { default: 'short', description: '`short`: up to two sentences.' }),
  language: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$',
      description: 'Of the answer, such as de, where a model is asked. Extracts are in the language of the texts.',
    }),
  ),
  requireCitations: Type.Boolean({
    default: true,
    description: 'Give no answer of a model that cites nothing that is really there.',
  }),
  maxCostMicros: Type.Optional(
    Type.Integer({ minimum: 1_000, maximum: 1_000_000, description: 'The call is refused before it could cost more.' }),
  ),
  history: Type.Optional(
    Type.Array(
      Type.Object({ role: Choice(['user', 'assistant']), content: Words(4_000) }, { additionalProperties: false }),
      { maxItems: 10, description: 'What was said before, the oldest first.' },
    ),
  ),
}

const Chunk = Type.Object(
  {
    id: Words(128),
    text: Words(32 * 2 ** 10, 'At most 32 KiB.'),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
)

const BatonRef = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The id of a vector baton, or one of its tokens.',
})

export const AnswerBody = Type.Object(
  {
    ...QUESTION_FIELDS,
    batonId: Type.Optional(BatonRef),
    chunks: Type.Optional(
      Type.Array(Chunk, { minItems: 1, maxItems: 200, description: 'In place of a baton: texts of 1 MiB together.' }),
    ),
  },
  { additionalProperties: false },
)
export type AnswerBody = Static<typeof AnswerBody>

const Source = Type.Object({
  id: Type.String(),
  score: Type.Number({ description: 'How relevant its text is, 0 to 1.' }),
  quote: Type.String({ description: 'Word for word as in the text.' }),
  start: Type.Integer({ description: 'Of the quote in the text, in UTF-16 code units.' }),
  end: Type.Integer(),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  verified: Type.Boolean({ description: 'Always true: what was not found in a text is left out.' }),
})

export const QueryBody = Type.Object(
  {
    batonId: BatonRef,
    ...QUESTION_FIELDS,
    answer: Type.Boolean({ default: false, description: 'Answer the question too, at the price of rag/answer.' }),
  },
  { additionalProperties: false },
)

const ANSWER_FIELDS = {
  answer: Type.Union([Type.String(), Type.Null()]),
  answered: Type.Boolean(),
  reason: Type.Optional(
    Choice(['NO_RELEVANT_CONTEXT', 'NOT_IN_CONTEXT', 'NO_VERIFIED_CITATION'], {
      description: 'Why there is no answer: nothing relevant was found, the texts do not say, or no citation was real.',
    }),
  ),
  confidence: Choice(['high', 'medium', 'low']),
  sources: Type.Array(Source),
  unusedSources: Type.Array(Type.String(), { description: 'Ids of relevant texts that the answer does not use.' }),
  method: Choice(['extractive', 'provider']),
  engine: Type.String({ description: 'Our own engine, or the model.' }),
  quality: Type.Optional(Choice(['basic'], { description: 'Of our own engine.' })),
  usage: Type.Optional(LanguageUsage),
}

export const AnswerReply = Type.Object({
  ...ANSWER_FIELDS,
  chargedMicros: Type.String(),
  quotas: Type.Optional(QuotasReply),
  warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
})

const Step = Type.Object({
  name: Choice(['search', 'answer']),
  status: Choice(['succeeded']),
  chargedMicros: Type.String(),
  ms: Type.Integer(),
})

export const QueryReply = Type.Object({
  matches: Type.Array(
    Type.Object({
      id: Type.String(),
      score: Type.Number({ description: 'How relevant it is, 0 to 1.' }),
      text: Type.String(),
      metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    { description: 'The best first.' },
  ),
  answer: Type.Optional(Type.Object(ANSWER_FIELDS)),
  steps: Type.Array(Step),
  chargedMicros: Type.String(),
  quotas: QuotasReply,
  warnings: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
})
