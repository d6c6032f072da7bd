import type { PoolConfig } from 'pg'
import type { VectorIndex } from './contract.ts'
import { openPgvector } from './pgvector.ts'
import { openQdrant } from './qdrant.ts'
import type { VectorIndexConfig } from './settings.ts'

// Decision 0280: index large namespaces in another store.

/** The index that the operator has chosen, if any. */
export function openVectorIndex(config: VectorIndexConfig | undefined, database: PoolConfig): VectorIndex | undefined {
  if (!config) return undefined
  const { kind, url, apiKey } = config
  return kind === 'qdrant'
    ? openQdrant({ url: url!, apiKey })
    : openPgvector(url === undefined ? database : { connectionString: url })
}
