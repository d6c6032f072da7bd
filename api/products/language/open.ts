import type { Offers } from '#kit'
import { openLanguageModels } from '../../../ops/providers/llm/open.ts'
import type { ModelPrice } from '../../../ops/providers/llm/settings.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'

/** The language models of the operator, with their prices. */
export default function openLanguage({ config, db, log }: PlatformParts): OpenedProduct {
  const onUncounted = (error: Error) => log.warn({ err: error }, 'a call was not counted')
  const models = openLanguageModels(config.llm, { onCall: call => void countProviderCall(db, call).catch(onUncounted) })
  if (!models) return { parts: {} }
  const { tiers, markupPct } = models
  const offer = ({ model, input, output }: ModelPrice) => ({ model, input, output, markupPct })
  const language: Offers['language'] = {
    budget: offer(tiers.budget),
    value: offer(tiers.value),
    best: offer(tiers.best),
  }
  return {
    parts: {},
    offers: { language, chat: { models: models.models.map(offer), lacks: models.lacks } },
    tools: {
      languageModel: limits => ({
        complete: (request: Parameters<typeof models.complete>[0]) => models.complete(request, limits),
      }),
    },
  }
}
