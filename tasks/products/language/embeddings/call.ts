import { Problem } from '#kit'
import { HASH_DIMENSIONS, HASH_MODEL } from '../../../engines/vectors/hash-embedding.ts'
import { estimateTokens, type Tier } from '../../../formats/language/tiers.ts'
import type { EmbeddingOffer } from '../offer.ts'
import type { UnitPrice } from '../price.ts'

export const MAX_TEXTS = 512
export const MAX_BYTES = 2 ** 20

/** What is embedded, and by which model. */
export interface EmbeddingCall {
  texts: readonly string[]
  as: 'query' | 'text'
  dimensions?: number
  user?: string
  /** Without one, our own engine answers. */
  offer?: EmbeddingOffer
  unitPrice?: UnitPrice
  warnings?: readonly { code: string; message: string }[]
}

interface Asked {
  texts: readonly string[]
  as?: 'query' | 'text'
  model?: string
  tier?: Tier
  dimensions?: number
  truncates?: boolean
  user?: string
}

/** Chooses the model, and refuses before any charge what it cannot take. */
export function planEmbedding(
  asked: Asked,
  offers: readonly EmbeddingOffer[] = [],
  unitPrice?: UnitPrice,
): EmbeddingCall {
  const { dimensions, user, as = 'text', truncates = false } = asked
  const offer = chooseOffer(asked, offers)
  checkTexts(asked.texts)
  if (!offer && dimensions !== undefined && dimensions !== HASH_DIMENSIONS)
    throw new Problem('DIMENSIONS_UNSUPPORTED', { model: HASH_MODEL, dimensions, supported: [HASH_DIMENSIONS] })
  const { texts, cut } = offer ? fitTexts(asked.texts, offer, truncates) : { texts: asked.texts, cut: [] }
  const message = `Texts were cut to what the model takes: ${cut.join(', ')}.`
  return {
    ...{ texts, as, ...(dimensions !== undefined && { dimensions }), ...(user !== undefined && { user }) },
    ...{ ...(offer && { offer }), ...(unitPrice && { unitPrice }) },
    ...(cut.length > 0 && { warnings: [{ code: 'TRUNCATED', message }] }),
  }
}

function chooseOffer({ model, tier = 'value' }: Asked, offers: readonly EmbeddingOffer[]): EmbeddingOffer | undefined {
  if (model === HASH_MODEL) return undefined
  if (model !== undefined) {
    const found = offers.find(offer => offer.model === model)
    if (found) return found
    throw new Problem('MODEL_NOT_FOUND', { field: 'model', models: [...offers.map(one => one.model), HASH_MODEL] })
  }
  const byPrice = offers.toSorted((one, other) => one.input - other.input)
  return { budget: byPrice[0], value: offers[0], best: byPrice.at(-1) }[tier]
}

function checkTexts(texts: readonly string[]): void {
  const sizeBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  if (sizeBytes > MAX_BYTES) throw new Problem('INPUT_TOO_LARGE', { field: 'input', sizeBytes, limitBytes: MAX_BYTES })
  const index = texts.findIndex(text => text.trim() === '')
  if (index >= 0) throw new Problem('INPUT_EMPTY', { index })
}

/** A token is counted for each three bytes, which no text of a natural language exceeds. */
function fitTexts(texts: readonly string[], { maxTokens: max }: EmbeddingOffer, truncates: boolean) {
  const cut: number[] = []
  const fitted = texts.map((text, index) => {
    const tokens = estimateTokens(text)
    if (tokens <= max) return text
    if (!truncates) throw new Problem('INPUT_TOO_LONG', { index, tokens, max })
    cut.push(index)
    // A character that is cut in two is left out.
    return new TextDecoder().decode(Buffer.from(text).subarray(0, max * 3), { stream: true })
  })
  return { texts: fitted, cut }
}

/** The call with what was found out of it. A model that is built in needs nothing but the rates. */
export function withPlan<Call>(call: Call, plan: EmbeddingCall): Call {
  const { offer, unitPrice } = plan
  return { ...call, ...(offer ? { plan } : unitPrice && { unitPrice }) }
}
