import { Problem } from '#kit'
import type { CallLimits } from '../../../ops/providers/call-limits.ts'
import type { EmbeddedAs, Embedder } from '../../../ops/providers/embedding/contract.ts'
import { HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { PreparedText } from '../../../tasks/engines/vectors/prepare.ts'
import type { ApiContext } from '../../context.ts'

/** What the vectors of a call were made by; `sent` are the caller's own. */
export const ENGINES = ['lexical', 'provider', 'sent'] as const
export type Engine = (typeof ENGINES)[number]

/** What embeds the texts of a baton. */
export interface TextModel {
  name: string
  engine: Engine
  embedder?: Embedder
}

const LEXICAL: TextModel = { name: HASH_MODEL, engine: 'lexical' }
const LIMIT_MS = 20_000

/** The model of a baton's texts: that of its vectors, else the provider's; without one, wording is compared. */
export function chooseTextModel(
  { vectors: { embedder } }: Pick<ApiContext, 'vectors'>,
  model: string | null,
): TextModel {
  if (!embedder || model === HASH_MODEL) return LEXICAL
  return { name: embedder.model, engine: 'provider', embedder }
}

/** The words of texts, and their vectors by this model. */
export async function embedTexts(
  { vectors }: Pick<ApiContext, 'vectors'>,
  texts: readonly string[],
  { embedder }: TextModel,
  as: EmbeddedAs = 'text',
): Promise<PreparedText[]> {
  const prepared = await vectors.prepareTexts(texts, !embedder)
  if (!embedder) return prepared
  const blank = texts.findIndex(text => text.trim() === '')
  if (blank >= 0) throw new Problem('VECTOR_INVALID', { index: blank, field: 'text', reason: 'zero' })
  const limits = { signal: AbortSignal.timeout(LIMIT_MS), deadlineMs: performance.now() + LIMIT_MS }
  const floats = await embed(embedder, texts, as, limits)
  return prepared.map((text, index) => ({ ...text, floats: floats[index]! }))
}

async function embed(embedder: Embedder, texts: readonly string[], as: EmbeddedAs, limits: CallLimits) {
  try {
    return await embedder.embed(texts, as, limits)
  } catch (error) {
    if (!limits.signal.aborted) throw error
    throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'embedding', detail: 'no time is left', limitMs: LIMIT_MS })
  }
}
