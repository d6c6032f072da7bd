import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { MarkupPct, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a service, texts are translated by a language model. */
    translation?: TranslationConfig
  }
}

export const TRANSLATION_PROVIDERS = ['deepl', 'google', 'azure', 'libretranslate'] as const
export type TranslationProvider = (typeof TRANSLATION_PROVIDERS)[number]

export interface TranslationConfig {
  provider: TranslationProvider
  url: string
  apiKey: string | undefined
  region: string | undefined
  usdPerMillion: number
  markupPct: number
}

const variables = {
  TRANSLATION_PROVIDER: Type.Optional(
    Type.Unsafe<TranslationProvider>({
      type: 'string',
      enum: [...TRANSLATION_PROVIDERS],
      displayDefault: 'the language model, if there is one',
      description: 'Who translates texts: DeepL, Google, Azure, or a server of LibreTranslate.',
    }),
  ),
  TRANSLATION_URL: OptionalUrl({
    displayDefault: "the provider's own",
    description: 'Address of that service, such as `http://127.0.0.1:5000` for LibreTranslate.',
  }),
  TRANSLATION_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that service; only workers get it.',
  }),
  TRANSLATION_REGION: OptionalText({
    displayDefault: 'none',
    description: 'Region of the resource, which `azure` wants of some keys.',
  }),
  TRANSLATION_USD_PER_MILLION: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1_000,
      displayDefault: 'must be set with TRANSLATION_PROVIDER',
      description: 'What the service takes for a million characters, in USD; 0 for a server of your own.',
    }),
  ),
  TRANSLATION_MARKUP_PCT: MarkupPct('What callers pay beyond the price of the service, in per cent.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Translation',
  variables,
  secretsOf: { worker: ['TRANSLATION_API_KEY'] },
  read: values => ({ translation: readTranslationConfig(values) }),
})

const OTHERS = ['TRANSLATION_URL', 'TRANSLATION_API_KEY', 'TRANSLATION_REGION', 'TRANSLATION_USD_PER_MILLION'] as const

function readTranslationConfig(values: Values): TranslationConfig | undefined {
  const { TRANSLATION_PROVIDER: provider, TRANSLATION_API_KEY: apiKey, TRANSLATION_REGION: region } = values
  const { TRANSLATION_USD_PER_MILLION: usdPerMillion, TRANSLATION_MARKUP_PCT: markupPct } = values
  if (!provider) {
    const stray = OTHERS.find(name => values[name] !== undefined)
    if (stray) throw new ConfigError(`TRANSLATION_PROVIDER must be set when ${stray} is set.`)
    return undefined
  }
  if (usdPerMillion === undefined)
    throw new ConfigError('TRANSLATION_USD_PER_MILLION must be set when TRANSLATION_PROVIDER is set.')
  const url = values.TRANSLATION_URL ?? findOwnUrl(provider, apiKey)
  if (url === undefined) throw new ConfigError(`TRANSLATION_URL must be set for ${provider}.`)
  return { provider, url: url.replace(/\/+$/, ''), apiKey, region, usdPerMillion, markupPct }
}

/** Free keys of DeepL end with `:fx` and have an address of their own. */
function findOwnUrl(provider: TranslationProvider, apiKey: string | undefined): string | undefined {
  if (provider === 'deepl') return apiKey?.endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com'
  if (provider === 'google') return 'https://translation.googleapis.com'
  return provider === 'azure' ? 'https://api.cognitive.microsofttranslator.com' : undefined
}
