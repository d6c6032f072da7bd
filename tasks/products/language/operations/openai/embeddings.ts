import { Type } from 'typebox'
import { Choice, define, NULLS_RULE, type Offers, Problem, type Rates } from '#kit'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { type EmbeddingCall, MAX_TEXTS, planEmbedding, withPlan } from '../../embeddings/call.ts'
import { priceEmbedding } from '../../embeddings/price.ts'
import { embedTexts, writeVector } from '../../embeddings/run.ts'
import { PROBLEM_FORM } from '../../openai/problem-form.ts'
import { toUnitPrice, type UnitPrice } from '../../price.ts'

type Text = string | number | readonly number[]

interface Asked {
  input: string | readonly Text[]
  model: string
  encoding_format: 'float' | 'base64'
  dimensions?: number
  user?: string
  unitPrice?: UnitPrice
  /** What `configure` makes of the rest. */
  plan?: EmbeddingCall
}

const Tokens = Type.Array(Type.Integer())

export default define({
  path: '/v1/embeddings',
  summary: 'Turn texts into vectors, as the OpenAI API has it.',
  keywords:
    'openai embeddings endpoint, openai compatible embedding api, text-embedding, embeddings create, openai sdk',
  description:
    'POST /v1/llm/embed for clients of the OpenAI API. GET /v1/models lists the models. Texts are taken, not tokens.',
  price: priceEmbedding<Asked>(call => call.plan ?? planOf(call)) as never,
  uses: ['embeddings'],
  optional: ['embeddings'],
  needs: call => ((call as Asked).plan?.offer ? ['embeddings'] : []),
  problemForm: PROBLEM_FORM,
  input: Type.Object(
    {
      model: Type.String({ minLength: 1, maxLength: 100, description: 'Such as svc-hash-384@1, which is built in.' }),
      input: Type.Union(
        [
          Type.String({ minLength: 1 }),
          Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Integer(), Tokens]), {
            ...{ minItems: 1, maxItems: MAX_TEXTS },
          }),
        ],
        { description: 'A text, or up to 512, of 1 MiB together.' },
      ),
      encoding_format: Choice(['float', 'base64'], { default: 'float' }),
      dimensions: Type.Optional(Type.Integer({ minimum: 1, maximum: 4_096 })),
      user: Type.Optional(
        Type.String({ minLength: 1, maxLength: 256, description: 'Told to the provider, if one is asked.' }),
      ),
    },
    { [NULLS_RULE]: true },
  ),
  output: Type.Object({
    object: Choice(['list']),
    data: Type.Array(
      Type.Object({
        object: Choice(['embedding']),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      provider_cost_micros: Type.Integer(),
      charged_micros: Type.Integer({ description: 'What the call is charged, in millionths of a US dollar.' }),
    }),
  }),
  errors: [
    ...(['INPUT_EMPTY', 'INPUT_TOO_LARGE', 'INPUT_TOO_LONG', 'DIMENSIONS_UNSUPPORTED', 'MODEL_NOT_FOUND'] as const),
    ...(['OPTION_UNSUPPORTED', 'PROVIDER_UNAVAILABLE', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'] as const),
  ],
  examples: [{ title: 'One text', input: { model: 'svc-hash-384@1', input: 'High tide' }, answer: { object: 'list' } }],
  configure: (call, offers, rates) => withPlan(call, planOf(call as Asked, offers, rates)),

  async run(call, { embeddings }) {
    const { plan, encoding_format: encoding } = call as Asked
    const { vectors, model, usage, units, baseMicros } = await embedTexts(plan ?? planOf(call as Asked), { embeddings })
    const { inputTokens, providerCostMicros, chargedMicros } = usage
    const data = vectors.map((vector, index) => ({
      ...{ object: 'embedding' as const, index, embedding: writeVector(vector, encoding) },
    }))
    const counted = { prompt_tokens: inputTokens, total_tokens: inputTokens }
    const cost = { provider_cost_micros: providerCostMicros, charged_micros: chargedMicros }
    return { result: { object: 'list' as const, data, model, usage: { ...counted, ...cost } }, units, baseMicros }
  },
})

function planOf({ input, unitPrice, ...asked }: Asked, offers: Offers = {}, rates?: Rates): EmbeddingCall {
  const texts = typeof input === 'string' ? [input] : input
  const reason = 'Tokens differ from model to model; send the texts.'
  if (!texts.every(text => typeof text === 'string'))
    throw new Problem('OPTION_UNSUPPORTED', { field: 'input', reason })
  return planEmbedding({ ...asked, texts }, offers.embedding, toUnitPrice(rates) ?? unitPrice)
}
