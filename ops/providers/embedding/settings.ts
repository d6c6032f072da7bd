import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a provider, texts are compared by their wording. */
    embedding?: EmbeddingConfig
  }
}

export interface EmbeddingConfig {
  /** Base address of an API with the embeddings of OpenAI, with its version. */
  url: string
  apiKey?: string | undefined
  model: string
  /** Asked of the model; undefined leaves them to it. */
  dimensions?: number | undefined
}

const variables = {
  EMBEDDING_URL: OptionalUrl({
    displayDefault: 'no provider: texts are compared by their wording',
    description:
      'Address of an API with the embeddings of OpenAI, with its version, such as `http://127.0.0.1:11434/v1` for Ollama. Texts of new vector batons are then compared by their meaning; only the api calls it.',
  }),
  EMBEDDING_MODEL: OptionalText({
    expects: 'the name of a model that does not begin with `svc-`',
    pattern: '^(?!svc-|own$|auto$)[A-Za-z0-9._:/@-]{1,64}$',
    displayDefault: 'none',
    description: 'Model that is asked for. Batons remember it, and are never given vectors of another one.',
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
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Embedding',
  variables,
  secretsOf: { api: ['EMBEDDING_API_KEY'] },
  read: values => ({ embedding: readEmbeddingConfig(values) }),
})

const OTHERS = ['EMBEDDING_MODEL', 'EMBEDDING_DIMENSIONS', 'EMBEDDING_API_KEY'] as const

function readEmbeddingConfig(values: Values): EmbeddingConfig | undefined {
  const { EMBEDDING_URL: url, EMBEDDING_MODEL: model, EMBEDDING_API_KEY: apiKey } = values
  if (!url) {
    const stray = OTHERS.find(name => values[name] !== undefined)
    if (stray) throw new ConfigError(`EMBEDDING_URL must be set when ${stray} is set.`)
    return undefined
  }
  if (!model) throw new ConfigError('EMBEDDING_MODEL must be set when EMBEDDING_URL is set.')
  return { url: url.replace(/\/+$/, ''), apiKey, model, dimensions: values.EMBEDDING_DIMENSIONS }
}
