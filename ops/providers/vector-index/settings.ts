import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OneOf, OptionalText } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Where large namespaces of vectors are indexed; undefined: every search compares all vectors. */
    vectorIndex?: VectorIndexConfig
  }
}

export interface VectorIndexConfig {
  kind: 'pgvector' | 'qdrant'
  /** Undefined: the database of the service. */
  url?: string | undefined
  apiKey?: string | undefined
  indexFrom: number
}

const variables = {
  VECTOR_INDEX: OneOf(
    ['exact', 'pgvector', 'qdrant'],
    'exact',
    'Where large vector batons are indexed. `exact`: nowhere, every search compares all vectors. `pgvector`: in Postgres with that extension, 0.8 or newer. `qdrant`: in Qdrant. The vectors themselves stay in the database, so an index may be lost and is made again.',
  ),
  VECTOR_INDEX_URL: OptionalText({
    expects: 'an address that begins with http://, https:// or postgres://',
    pattern: '^(https?|postgres(ql)?)://[^/]',
    isSecret: true,
    displayDefault: 'DATABASE_URL for `pgvector`',
    description: 'Address of Qdrant, such as `http://127.0.0.1:6333`, or of a Postgres with pgvector.',
  }),
  VECTOR_INDEX_KEY: OptionalText({ isSecret: true, displayDefault: 'none', description: 'API key of Qdrant.' }),
  VECTOR_INDEX_FROM: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 50_000,
    description: 'Vectors of a namespace from which on it is indexed.',
  }),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Vector index',
  variables,
  read: values => ({ vectorIndex: readVectorIndexConfig(values) }),
})

function readVectorIndexConfig(values: Values): VectorIndexConfig | undefined {
  const { VECTOR_INDEX: kind, VECTOR_INDEX_URL: url, VECTOR_INDEX_KEY: apiKey, VECTOR_INDEX_FROM: indexFrom } = values
  if (kind === 'exact') return undefined
  if (kind === 'qdrant' && !url?.startsWith('http'))
    throw new ConfigError('VECTOR_INDEX is qdrant, so VECTOR_INDEX_URL must be its http or https address.')
  if (kind === 'pgvector' && url?.startsWith('http'))
    throw new ConfigError('VECTOR_INDEX is pgvector, so VECTOR_INDEX_URL must be a postgres:// address or left out.')
  return { kind, url, apiKey, indexFrom }
}
