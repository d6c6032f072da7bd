import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OneOf, OptionalText } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Where large namespaces of vectors are indexed; undefined: every search compares all vectors. */
    vectorIndex?: VectorIndexConfig
  }
}

export type VectorIndexConfig = { indexFrom: number } & (
  | {
      kind: 'pgvector'
      /** Undefined: the database of the service. */
      url?: string | undefined
    }
  | { kind: 'qdrant'; url: string; apiKey?: string | undefined }
  | { kind: 'pinecone'; url: string; apiKey: string; region: string }
)

const PINECONE_URL = 'https://api.pinecone.io'

const variables = {
  VECTOR_INDEX: OneOf(
    ['exact', 'pgvector', 'qdrant', 'pinecone'],
    'exact',
    'Where large vector batons are indexed. `exact`: nowhere, every search compares all vectors. `pgvector`: in Postgres with that extension, 0.8 or newer. `qdrant`: in Qdrant. `pinecone`: in serverless indexes of Pinecone, one for each metric and number of dimensions, which are created when they are needed. The vectors themselves stay in the database, so an index may be lost and is made again.',
  ),
  VECTOR_INDEX_URL: OptionalText({
    expects: 'an address that begins with http://, https:// or postgres://',
    pattern: '^(https?|postgres(ql)?)://[^/]',
    isSecret: true,
    displayDefault: 'DATABASE_URL for `pgvector`, `https://api.pinecone.io` for `pinecone`',
    description:
      'Address of Qdrant, such as `http://127.0.0.1:6333`, of a Postgres with pgvector, or of another control plane of Pinecone.',
  }),
  VECTOR_INDEX_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'API key of Qdrant or Pinecone.',
  }),
  VECTOR_INDEX_REGION: OptionalText({
    expects: 'a cloud and a region, such as aws/us-east-1',
    pattern: '^(aws|gcp|azure)/[a-z0-9-]+$',
    displayDefault: 'aws/us-east-1',
    description: 'Cloud and region of new indexes of Pinecone.',
  }),
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
  const isHttp = url?.startsWith('http')
  if (kind === 'pinecone') return { kind, ...readPinecone(values), indexFrom }
  if (kind === 'qdrant') {
    if (isHttp) return { kind, url: url!, apiKey, indexFrom }
    throw new ConfigError('VECTOR_INDEX is qdrant, so VECTOR_INDEX_URL must be its http or https address.')
  }
  if (!isHttp) return { kind, url, indexFrom }
  throw new ConfigError('VECTOR_INDEX is pgvector, so VECTOR_INDEX_URL must be a postgres:// address or left out.')
}

function readPinecone({
  VECTOR_INDEX_URL: url = PINECONE_URL,
  VECTOR_INDEX_KEY: apiKey,
  VECTOR_INDEX_REGION: region = 'aws/us-east-1',
}: Values) {
  if (apiKey === undefined) throw new ConfigError('VECTOR_INDEX is pinecone, so VECTOR_INDEX_KEY must be set.')
  if (!url.startsWith('http'))
    throw new ConfigError('VECTOR_INDEX is pinecone, so VECTOR_INDEX_URL must be an http or https address or left out.')
  return { url, apiKey, region }
}
