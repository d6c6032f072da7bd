import type { Offers } from '#kit'
import { openEmbeddings } from '../../../ops/providers/embedding/open.ts'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { ModelPrice } from '../../../ops/providers/llm/settings.ts'
import type { Proofreader } from '../../../ops/providers/proofreading/contract.ts'
import { openProofreader } from '../../../ops/providers/proofreading/open.ts'
import type { Translator } from '../../../ops/providers/translation/contract.ts'
import { openTranslator } from '../../../ops/providers/translation/open.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

type ToolFor<Part extends keyof OpenedProduct> = NonNullable<OpenedProduct[Part]>

/** The language models of the operator and those that embed texts, with their prices. */
export default function openLanguage({ config, db, log }: PlatformParts): OpenedProduct {
  const onUncounted = (error: Error) => log.warn({ err: error }, 'a call was not counted')
  const onCall = (call: Parameters<typeof countProviderCall>[1]) => void countProviderCall(db, call).catch(onUncounted)
  const models = openLanguageModels(config.llm, { onCall })
  const embeddings = openEmbeddings(config.embedding, { onCall })
  const translator = openTranslator(config.translation)
  const proofreader = openProofreader(config.proofreading)
  return {
    parts: {},
    offers: {
      ...(models && offerModels(models)),
      ...(embeddings && { embedding: offerEmbeddings(embeddings) }),
      ...(config.dictionaries && { dictionaries: config.dictionaries }),
      services: {
        ...(translator && { translator: offerService(translator) }),
        ...(proofreader && { proofreader: offerService(proofreader) }),
      },
    },
    tools: { ...(models && bindModels(models)), ...(embeddings && bindEmbeddings(embeddings)) },
  }
}

type Models = NonNullable<ReturnType<typeof openLanguageModels>>
type Embeddings = NonNullable<ReturnType<typeof openEmbeddings>>

function offerModels({ tiers, models, lacks, markupPct }: Models): Offers {
  const offer = ({ model, input, output, contextTokens }: ModelPrice) => ({
    ...{ model, input, output, markupPct },
    ...(contextTokens !== undefined && { contextTokens }),
  })
  const language = { budget: offer(tiers.budget), value: offer(tiers.value), best: offer(tiers.best) }
  return { language, chat: { models: models.map(offer), lacks } }
}

function offerEmbeddings({ models, markupPct }: Embeddings): Offers['embedding'] {
  return models.map(price => ({ ...price, markupPct }))
}

function offerService({ provider, usdPerMillion, markupPct, ...more }: Translator | Proofreader) {
  return { provider, usdPerMillion, markupPct, ...('hasFormality' in more && { hasFormality: more.hasFormality }) }
}

function bindModels(models: Models): ToolFor<'tools'> {
  return {
    languageModel: limits => ({
      complete: (request: Parameters<typeof models.complete>[0]) => models.complete(request, limits),
    }),
  }
}

function bindEmbeddings(embeddings: Embeddings): ToolFor<'tools'> {
  return {
    embeddings: limits => ({
      embed: (request: Parameters<typeof embeddings.embed>[0]) => embeddings.embed(request, limits),
    }),
  }
}
