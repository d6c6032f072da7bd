import { Type } from 'typebox'
import { Choice, define, type Offers, type Rates } from '#kit'
import { TIERS, type Tier } from '../../../../formats/language/tiers.ts'
import { LanguageUsage } from '../../../../formats/language/usage.ts'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { type EmbeddingCall, MAX_TEXTS, planEmbedding, withPlan } from '../../embeddings/call.ts'
import { priceEmbedding } from '../../embeddings/price.ts'
import { embedTexts, writeVector } from '../../embeddings/run.ts'
import { toUnitPrice, type UnitPrice } from '../../price.ts'

interface Asked {
  input: string | readonly string[]
  tier?: Tier
  model?: string
  type: 'document' | 'query'
  truncate: 'error' | 'end'
  dimensions?: number
  encoding: 'float' | 'base64'
  unitPrice?: UnitPrice
  /** What `configure` makes of the rest. */
  plan?: EmbeddingCall
}

export default define({
  path: '/v1/llm/embed',
  summary: 'Turn texts into vectors that can be compared.',
  keywords:
    'embedding, embeddings, vectorize, text to vector, similarity, semantic search, feature hashing, sentence embeddings',
  description:
    'A model of GET /v1/models answers where one is offered: texts are near to each other where their meanings are (`semantic`). The ' +
    'built-in model `svc-hash-384@1` hashes words and parts of words: texts are near where they share wording, in any language, and ' +
    'the same text always has the same vector. Vectors have the length 1.',
  price: priceEmbedding<Asked>(call => call.plan ?? planOf(call)) as never,
  uses: ['embeddings'],
  optional: ['embeddings'],
  needs: call => ((call as Asked).plan?.offer ? ['embeddings'] : []),
  input: Type.Object({
    input: Type.Union(
      [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_TEXTS })],
      { description: 'A text, or up to 512, of 1 MiB together.' },
    ),
    tier: Type.Optional(Choice(TIERS, { description: 'How good a model, where `model` names none: `value`.' })),
    model: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'By its name in GET /v1/models.' })),
    type: Choice(['document', 'query'], {
      default: 'document',
      description: 'What the texts are, for models that want questions marked. Others embed both alike.',
    }),
    truncate: Choice(['error', 'end'], {
      default: 'error',
      description: 'What becomes of a text that is longer than the model takes, counted as a token for each 3 bytes.',
    }),
    dimensions: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4_096, description: "The model's own if left out." }),
    ),
    encoding: Choice(['float', 'base64'], {
      default: 'float',
      description: '`base64`: little-endian floats of 32 bits.',
    }),
  }),
  output: Type.Object({
    vectors: Type.Array(Type.Union([Type.Array(Type.Number()), Type.String()])),
    dimensions: Type.Integer(),
    model: Type.String(),
    normalized: Type.Boolean(),
    semantic: Type.Boolean({ description: 'Whether meaning is compared, not wording alone.' }),
    count: Type.Integer(),
    usage: LanguageUsage,
  }),
  errors: [
    ...(['INPUT_EMPTY', 'INPUT_TOO_LARGE', 'INPUT_TOO_LONG', 'DIMENSIONS_UNSUPPORTED', 'MODEL_NOT_FOUND'] as const),
    ...(['OPTION_UNSUPPORTED', 'PROVIDER_UNAVAILABLE', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'] as const),
  ],
  examples: [
    {
      title: 'Two texts',
      input: { input: ['High tide', 'Low tide'], model: 'svc-hash-384@1' },
      answer: { dimensions: 384, count: 2 },
    },
  ],
  configure: (call, offers, rates) => withPlan(call, planOf(call as Asked, offers, rates)),

  async run(call, { embeddings }) {
    const { plan, encoding } = call as Asked
    const { vectors, model, isSemantic, usage, ...settled } = await embedTexts(plan ?? planOf(call as Asked), {
      embeddings,
    })
    const result = {
      vectors: vectors.map(vector => writeVector(vector, encoding)),
      ...{
        dimensions: vectors[0]!.length,
        model,
        normalized: true,
        semantic: isSemantic,
        count: vectors.length,
        usage,
      },
    }
    return { result, ...settled }
  },
})

function planOf(
  { input, type, truncate, unitPrice, ...asked }: Asked,
  offers: Offers = {},
  rates?: Rates,
): EmbeddingCall {
  const texts = typeof input === 'string' ? [input] : input
  const how = { as: type === 'query' ? 'query' : 'text', truncates: truncate === 'end' } as const
  return planEmbedding({ ...asked, texts, ...how }, offers.embedding, toUnitPrice(rates) ?? unitPrice)
}
