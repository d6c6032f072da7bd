import type { EmbeddingConfig } from '../providers/embedding/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

const OTHERS = ['EMBEDDING_MODEL', 'EMBEDDING_DIMENSIONS', 'EMBEDDING_API_KEY'] as const

export function readEmbeddingConfig(values: VariableValues): EmbeddingConfig | undefined {
  const { EMBEDDING_URL: url, EMBEDDING_MODEL: model, EMBEDDING_API_KEY: apiKey } = values
  if (!url) {
    const stray = OTHERS.find(name => values[name] !== undefined)
    if (stray) throw new ConfigError(`EMBEDDING_URL must be set when ${stray} is set.`)
    return undefined
  }
  if (!model) throw new ConfigError('EMBEDDING_MODEL must be set when EMBEDDING_URL is set.')
  return { url: url.replace(/\/+$/, ''), apiKey, model, dimensions: values.EMBEDDING_DIMENSIONS }
}
