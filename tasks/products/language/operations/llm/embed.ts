import { Type } from 'typebox'
import { Choice, clampPrice, define, type Price, Problem, usd } from '#kit'
import { embedText, HASH_DIMENSIONS, HASH_MODEL } from '../../../../engines/vectors/hash-embedding.ts'
import { estimateTokens } from '../../../../formats/language/tiers.ts'
import { LanguageUsage } from '../../../../formats/language/usage.ts'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { toUnitPrice, type UnitPrice } from '../../price.ts'

const STEP_BYTES = 10 * 1024
const MAX_BYTES = 2 ** 20
const RATE = usd('0.001')

interface EmbedCall {
  input: string | readonly string[]
  unitPrice?: UnitPrice
}

const PRICE: Price<EmbedCall> = {
  ...{ unit: 'started 10 KiB of text', rateMicros: RATE, baseMicros: 0n, basis: 'body', minUnits: 1 },
  maxUnits: Math.ceil(MAX_BYTES / STEP_BYTES),
  units: ({ input }) => countUnits(listTexts(input)),
}

export default define({
  path: '/v1/llm/embed',
  summary: 'Turn texts into vectors that can be compared.',
  keywords: 'embedding, embeddings, vectorize, text to vector, similarity, semantic search, feature hashing',
  description:
    'The built-in model hashes words and parts of words: texts are near to each other where they share wording, in any ' +
    'language (`semantic` is false). The same text always has the same vector, of length 1.',
  price: PRICE as never,
  uses: [],
  input: Type.Object({
    input: Type.Union(
      [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 512 })],
      { description: 'A text, or up to 512, of 1 MiB together.' },
    ),
    model: Choice([HASH_MODEL], { default: HASH_MODEL }),
    dimensions: Type.Integer({ default: HASH_DIMENSIONS, minimum: 1, maximum: 4_096 }),
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
  errors: ['INPUT_EMPTY', 'INPUT_TOO_LARGE', 'DIMENSIONS_UNSUPPORTED', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED'],
  examples: [
    { title: 'Two texts', input: { input: ['High tide', 'Low tide'] }, answer: { dimensions: 384, count: 2 } },
  ],
  configure: (call, _offers, rates) => (rates ? ({ ...call, unitPrice: toUnitPrice(rates) } as never) : call),

  run(call) {
    const { dimensions, encoding, model } = call
    const texts = listTexts(call.input)
    if (dimensions !== HASH_DIMENSIONS)
      throw new Problem('DIMENSIONS_UNSUPPORTED', { model, dimensions, supported: [HASH_DIMENSIONS] })
    checkSize(texts)
    const vectors = texts.map((text, index) => {
      const vector = embedText(text)
      if (!vector) throw new Problem('INPUT_EMPTY', texts.length > 1 ? { index } : {})
      return encoding === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector]
    })
    const units = countUnits(texts)
    const result = {
      ...{ vectors, dimensions, model, normalized: true, semantic: false, count: vectors.length },
      usage: describeUsage(call as EmbedCall, texts, units),
    }
    return { result, units }
  },
})

function listTexts(input: EmbedCall['input']): readonly string[] {
  return typeof input === 'string' ? [input] : input
}

function countBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function countUnits(texts: readonly string[]): number {
  return Math.max(1, Math.ceil(countBytes(texts) / STEP_BYTES))
}

function checkSize(texts: readonly string[]): void {
  const sizeBytes = countBytes(texts)
  if (sizeBytes > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { field: 'input', sizeBytes, limitBytes: MAX_BYTES })
}

function describeUsage({ unitPrice }: EmbedCall, texts: readonly string[], units: number) {
  const { rateMicros, baseMicros } = unitPrice ?? { rateMicros: RATE, baseMicros: 0n }
  const chargedMicros = Number(clampPrice(BigInt(baseMicros) + BigInt(rateMicros) * BigInt(units)))
  return {
    ...{ model: `embedded:${HASH_MODEL}`, inputTokens: estimateTokens(texts.join('')), outputTokens: 0 },
    ...{ providerCostMicros: 0, markupPct: 0, chargedMicros, ceilingMicros: chargedMicros },
  }
}
