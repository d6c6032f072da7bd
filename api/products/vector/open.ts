import { openEmbedder } from '../../../ops/providers/embedding/open.ts'
import { openVectorIndex } from '../../../ops/providers/vector-index/open.ts'
import { connectTo } from '../../../sql/hosts/primary.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import { chooseStore } from '../../../sql/vector/store.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { VectorWorkers } from './work.ts'

/**
 * The vectors in memory, the threads that compare them, the provider that embeds texts and the index of large namespaces, if
 * the operator has chosen them.
 */
export default async function openVectors({ config, db, log, settings }: PlatformParts): Promise<OpenedProduct> {
  const onUncounted = (error: Error) => log.warn({ err: error }, 'a call was not counted')
  const embedder = openEmbedder(config.embedding, {
    onCall: call => void countProviderCall(db, call).catch(onUncounted),
  })
  const index = openVectorIndex(config.vectorIndex, connectTo(db.url))
  await chooseStore(db, index && { ...index, indexFrom: config.vectorIndex!.indexFrom })
  const vectors = new VectorWorkers({ db, settings, embedder, index })
  return { parts: { vectors }, close: () => vectors.close() }
}

declare module '../../context.ts' {
  interface ProductParts {
    vectors: VectorWorkers
  }
}
