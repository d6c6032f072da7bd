import { Type } from 'typebox'
import { Choice, type Offers } from '#kit'
import { TIERS } from '../../../tasks/formats/language/tiers.ts'
import { HASH_MODEL, type ModelOffer } from '../../../tasks/products/language/index.ts'

export const ListedModel = Type.Object({
  id: Type.String({ description: 'What to send as `model`.' }),
  object: Choice(['model']),
  created: Type.Integer(),
  owned_by: Type.String(),
  kind: Choice(['chat', 'embedding']),
  answered_by: Type.Optional(Type.String({ description: 'Of a tier: the model that it stands for.' })),
  input_micros_per_1k_tokens: Type.Optional(Type.Number({ description: 'Markup included.' })),
  output_micros_per_1k_tokens: Type.Optional(Type.Number()),
  context_tokens: Type.Optional(Type.Integer({ description: 'What it reads and writes at once, if that is known.' })),
  micros_per_10_kib: Type.Optional(
    Type.Number({ description: 'Of an embedding: what a call costs, unless its tokens cost more.' }),
  ),
})

interface ModelEntry {
  id: string
  object: 'model'
  created: number
  owned_by: string
  kind: 'chat' | 'embedding'
  answered_by?: string
  input_micros_per_1k_tokens?: number
  output_micros_per_1k_tokens?: number
  context_tokens?: number
  micros_per_10_kib?: number
}

type EmbeddingOffer = NonNullable<Offers['embedding']>[number]

/** Clients expect a date; what is listed depends on the configuration alone. */
const CREATED = 1_767_225_600

/** Exactly the models that a call can name: each has a price. */
export function listModels({ language, chat, embedding = [] }: Offers): ModelEntry[] {
  const tiers = language ? TIERS.map(tier => describeChat(tier, language[tier], language[tier].model)) : []
  const own = chat?.models.map(offer => describeChat(offer.model, offer)) ?? []
  const hash = { ...describe(HASH_MODEL, 'embedding', 'coinop'), micros_per_10_kib: 1_000 }
  return [...tiers, ...own, ...embedding.map(describeEmbedding), hash]
}

function describeEmbedding({ model, input, markupPct }: EmbeddingOffer): ModelEntry {
  const per1k = { input_micros_per_1k_tokens: Math.round(input * 1_000 * (1 + markupPct / 100) * 1e3) / 1e3 }
  return { ...describe(model, 'embedding', 'provider'), ...per1k, micros_per_10_kib: 1_000 }
}

function describe(id: string, kind: ModelEntry['kind'], owner: string): ModelEntry {
  return { id, object: 'model', created: CREATED, owned_by: owner, kind }
}

function describeChat(id: string, offer: ModelOffer, model?: string) {
  const per1k = (price: number) => Math.round(price * 1_000 * (1 + offer.markupPct / 100) * 1e3) / 1e3
  return {
    ...describe(id, 'chat', 'provider'),
    ...(model !== undefined && { answered_by: model }),
    input_micros_per_1k_tokens: per1k(offer.input),
    output_micros_per_1k_tokens: per1k(offer.output),
    ...(offer.contextTokens && { context_tokens: offer.contextTokens }),
  }
}
