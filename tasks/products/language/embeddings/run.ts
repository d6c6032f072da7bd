import { clampPrice, Problem, type Tools, type Warning } from '#kit'
import { embedText, HASH_MODEL } from '../../../engines/vectors/hash-embedding.ts'
import { estimateTokens } from '../../../formats/language/tiers.ts'
import type { EmbeddingCall } from './call.ts'
import { computeCost, computeExtra, countMost, countUnits, priceUnits } from './price.ts'

interface Embedded {
  vectors: readonly Float32Array[]
  model: string
  isSemantic: boolean
  usage: {
    model: string
    inputTokens: number
    outputTokens: number
    providerCostMicros: number
    markupPct: number
    chargedMicros: number
    ceilingMicros: number
  }
  units: number
  baseMicros: bigint
  warnings: Warning[]
}

/** The vectors of the texts, each of length 1, with what they cost. */
export async function embedTexts(
  call: EmbeddingCall,
  { embeddings }: Partial<Pick<Tools, 'embeddings'>>,
): Promise<Embedded> {
  const { offer, unitPrice, warnings = [] } = call
  const { vectors, tokens } = await findVectors(call, embeddings)
  const units = countUnits(call)
  // More than is possible is not believed, and nothing is not either.
  const most = countMost(call)
  const counted = tokens > 0 ? Math.min(tokens, most) : call.texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  const extra = computeExtra(call, counted)
  const price = priceUnits(unitPrice, units)
  const usage = {
    ...{ model: offer?.model ?? `embedded:${HASH_MODEL}`, inputTokens: counted, outputTokens: 0 },
    ...{ providerCostMicros: computeCost(call, counted).provider, markupPct: offer?.markupPct ?? 0 },
    chargedMicros: Number(clampPrice(price + extra)),
    ceilingMicros: Number(clampPrice(price + computeExtra(call, most))),
  }
  const model = offer?.model ?? HASH_MODEL
  const baseMicros = BigInt(unitPrice?.baseMicros ?? 0) + extra
  return { vectors, model, isSemantic: offer !== undefined, usage, units, baseMicros, warnings: [...warnings] }
}

async function findVectors(
  { offer, texts, as, dimensions, user }: EmbeddingCall,
  embeddings: Tools['embeddings'] | undefined,
): Promise<{ vectors: readonly Float32Array[]; tokens: number }> {
  if (!offer) return { vectors: texts.map(embedOne), tokens: 0 }
  const request = { model: offer.model, texts, as }
  return embeddings!.embed({
    ...request,
    ...(dimensions !== undefined && { dimensions }),
    ...(user !== undefined && { user }),
  })
}

function embedOne(text: string, index: number): Float32Array {
  const vector = embedText(text)
  if (!vector) throw new Problem('INPUT_EMPTY', { index })
  return vector
}

export function writeVector(vector: Float32Array, encoding: 'float' | 'base64'): number[] | string {
  return encoding === 'base64'
    ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
    : [...vector]
}
