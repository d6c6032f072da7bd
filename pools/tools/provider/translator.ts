import { Problem } from '#kit'
import type { TranslationRequest, Translator } from '../../../ops/providers/translation/contract.ts'
import { TRANSLATION_PROVIDERS } from '../../../ops/providers/translation/settings.ts'
import type { HostContext } from '../../host-context.ts'

/** The translation service that the operator configured. */
export function bind(context: HostContext) {
  return {
    translate: (request: TranslationRequest) => requireTranslator(context.translator).translate(request, context),
  }
}

/** The tool is there where a service is configured. */
export async function version({ translator }: HostContext): Promise<string> {
  return requireTranslator(translator).provider
}

function requireTranslator(translator: Translator | undefined): Translator {
  if (!translator)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'translation', adapters: [...TRANSLATION_PROVIDERS] })
  return translator
}
