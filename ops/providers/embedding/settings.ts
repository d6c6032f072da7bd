import { resolve } from 'node:path'
import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { MarkupPct, OneOf, OptionalText, OptionalUrl, Port, Text } from '../../variables/kinds.ts'
import type { EmbeddingPrice } from './contract.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a provider, texts are compared by their wording. */
    embedding?: EmbeddingConfig
    /** The role that embeds texts by a model of MODELS_DIR. */
    embedder?: EmbedderConfig
  }
}

export const EMBEDDING_PROVIDERS = ['openai', 'cohere', 'voyage', 'gemini'] as const
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number]

export interface EmbeddingConfig {
  provider: EmbeddingProvider
  /** Base address of its API, with its version. */
  url: string
  apiKey?: string | undefined
  model: string
  /** Asked of the model; undefined leaves them to it. */
  dimensions?: number | undefined
  /** Put before each text, and before each question. */
  prefixes?: Prefixes
  /** Those that callers may name; a model without a price is none of them. */
  priced?: { models: readonly EmbeddingPrice[]; markupPct: number }
}

export type Prefixes = Partial<Record<'query' | 'text', string>>

export interface EmbedderConfig {
  modelsDir: string
  /** The folder of the model; undefined if there is only one. */
  model?: string | undefined
  host: string
  port: number
  apiKey?: string | undefined
  prefixes: Prefixes
}

const MODEL = '(?!svc-)[A-Za-z0-9._:/@-]{1,64} +\\d{1,3}(\\.\\d{1,6})?( +\\d{2,6})?'
const MODELS_PATTERN = `^${MODEL}( *; *${MODEL}){0,9}$`

const variables = {
  EMBEDDING_PROVIDER: OneOf(
    EMBEDDING_PROVIDERS,
    'openai',
    'The API of the model of texts: `openai` is also that of Ollama, vLLM, TEI, LM Studio and LiteLLM.',
  ),
  EMBEDDING_URL: OptionalUrl({
    displayDefault:
      "the provider's own; for `openai` the model in MODELS_DIR, if there is one, else texts are compared by their wording",
    description:
      'Address of that API with its version, such as `http://127.0.0.1:11434/v1` for Ollama. Texts of new vector batons are then compared by their meaning.',
  }),
  EMBEDDING_MODEL: OptionalText({
    expects: 'the name of a model that does not begin with `svc-`',
    pattern: '^(?!svc-|own$|auto$)[A-Za-z0-9._:/@-]{1,64}$',
    displayDefault: 'the only one in MODELS_DIR',
    description:
      'Model that is asked for, or the folder of one in MODELS_DIR. Batons remember it, and are never given vectors of another one.',
  }),
  EMBEDDING_DIMENSIONS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_096,
      displayDefault: "the model's own",
      description: 'Dimensions that the model is asked for, if it can have several.',
    }),
  ),
  EMBEDDING_API_KEY: OptionalText({ isSecret: true, displayDefault: 'none', description: 'Key of that API.' }),
  EMBEDDING_TEXT_PREFIX: OptionalText({
    displayDefault: 'as the files of the model say',
    description: 'What the model wants before each text, such as `passage:` for E5; a space follows it.',
  }),
  EMBEDDING_QUERY_PREFIX: OptionalText({
    displayDefault: 'as the files of the model say',
    description: 'What the model wants before each question, such as `query:` for E5; a space follows it.',
  }),
  EMBEDDING_MODELS: OptionalText({
    expects:
      'models with a price and (optional) a number of tokens, such as `a-model 0.02 8192`, separated by semicolons',
    pattern: MODELS_PATTERN,
    displayDefault: 'the model in MODELS_DIR, which costs nothing; else none',
    description:
      'Models that callers of `/v1/llm/embed` and `/v1/embeddings` are answered by, each with what the provider takes for a million tokens, in USD, and the most tokens of a text (8192 if left out). The first is asked where no model is named, the cheapest for the tier `budget`, the dearest for `best`.',
  }),
  EMBEDDING_MARKUP_PCT: MarkupPct(
    'What callers pay beyond the price of the provider, in per cent, where that is more than the price of the call.',
  ),
  EMBEDDING_HOST: Text({
    default: '127.0.0.1',
    description: 'Address on which the role `embedder` listens, which runs the model in MODELS_DIR.',
  }),
  EMBEDDING_PORT: Type.Optional(
    Port({ displayDefault: 'PORT + 4', minimum: 1, description: 'Port of the role `embedder`.' }),
  ),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Embedding',
  variables,
  read: (values, { port }) => ({
    embedding: readEmbeddingConfig(values),
    embedder: readEmbedderConfig(values, port),
  }),
})

const OTHERS = [
  'EMBEDDING_MODEL',
  'EMBEDDING_API_KEY',
  'EMBEDDING_TEXT_PREFIX',
  'EMBEDDING_QUERY_PREFIX',
  'EMBEDDING_MODELS',
] as const

function readEmbeddingConfig(values: Values): EmbeddingConfig | undefined {
  const { EMBEDDING_PROVIDER: provider, EMBEDDING_MODEL: model, EMBEDDING_API_KEY: apiKey } = values
  const { EMBEDDING_DIMENSIONS: dimensions } = values
  const url = findUrl(values)
  if (!url) {
    const stray = findModelsDir(values) ? undefined : OTHERS.find(name => values[name] !== undefined)
    const lacking = dimensions === undefined ? stray : 'EMBEDDING_DIMENSIONS'
    if (lacking) throw new ConfigError(`EMBEDDING_URL must be set when ${lacking} is set.`)
    return undefined
  }
  if (!model) throw new ConfigError('EMBEDDING_MODEL must be set where texts are embedded by a provider.')
  const priced = readPriced(values)
  const place = { provider, url: url.replace(/\/+$/, ''), apiKey }
  return { ...place, model, dimensions, prefixes: readPrefixes(values), ...(priced && { priced }) }
}

const OWN_URLS: Partial<Record<EmbeddingProvider, string>> = {
  cohere: 'https://api.cohere.com/v2',
  voyage: 'https://api.voyageai.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
}

function findUrl({ EMBEDDING_URL: url, EMBEDDING_PROVIDER: provider }: Values): string | undefined {
  return url ?? OWN_URLS[provider]
}

const MAX_TOKENS = 8_192

function readPriced({ EMBEDDING_MODELS: text, EMBEDDING_MARKUP_PCT: markupPct }: Values): EmbeddingConfig['priced'] {
  if (text === undefined) return undefined
  const models = text.split(';').map(row => {
    const [model = '', input = '0', maxTokens = MAX_TOKENS] = row.trim().split(/ +/)
    return { model, input: Number(input), maxTokens: Number(maxTokens) }
  })
  return { models, markupPct }
}

function readEmbedderConfig(values: Values, port: number): EmbedderConfig | undefined {
  const { EMBEDDING_MODEL: model, EMBEDDING_API_KEY: apiKey, EMBEDDING_HOST: host } = values
  const modelsDir = findModelsDir(values)
  if (findUrl(values) || !modelsDir) return undefined
  const place = { host, port: values.EMBEDDING_PORT ?? port + 4 }
  return { ...place, modelsDir: resolve(modelsDir), model, apiKey, prefixes: readPrefixes(values) }
}

/** Values are trimmed, and models that want a prefix want a space after it. */
function readPrefixes({ EMBEDDING_QUERY_PREFIX: query, EMBEDDING_TEXT_PREFIX: text }: Values): Prefixes {
  return { ...(query !== undefined && { query: `${query} ` }), ...(text !== undefined && { text: `${text} ` }) }
}

/** Declared with the models of the vision operations, which are in the same folder. */
function findModelsDir(values: Values): string | undefined {
  return (values as Values & { MODELS_DIR?: string }).MODELS_DIR
}
