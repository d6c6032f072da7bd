import type { PoolConfig } from 'pg'
import type { VectorIndex } from './contract.ts'
import { openPgvector } from './pgvector.ts'
import { openPinecone } from './pinecone.ts'
import { openQdrant } from './qdrant.ts'
import type { VectorIndexConfig } from './settings.ts'

// Decision 0280: index large namespaces in another store.
// Decision 0612: index in Pinecone, but not in LanceDB.

/** The index that the operator has chosen, if any. */
export function openVectorIndex(config: VectorIndexConfig | undefined, database: PoolConfig): VectorIndex | undefined {
  if (!config) return undefined
  switch (config.kind) {
    case 'qdrant':
      return openQdrant(config)
    case 'pinecone':
      return openPinecone(config)
    case 'pgvector':
      return openPgvector(config.url === undefined ? database : { connectionString: config.url })
  }
}
