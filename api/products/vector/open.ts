import { openEmbedder } from '../../../ops/providers/embedding/open.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import type { OpenedProduct, PlatformParts } from '../../product-parts.ts'
import { VectorWorkers } from './work.ts'

/** The vectors in memory, the threads that compare them, and the provider that embeds texts, if there is one. */
export default function openVectors({ config, db, log, settings }: PlatformParts): OpenedProduct {
  const onUncounted = (error: Error) => log.warn({ err: error }, 'a call was not counted')
  const embedder = openEmbedder(config.embedding, {
    onCall: call => void countProviderCall(db, call).catch(onUncounted),
  })
  const vectors = new VectorWorkers(db, settings, embedder)
  return { parts: { vectors }, close: () => vectors.close() }
}

declare module '../../context.ts' {
  interface ProductParts {
    vectors: VectorWorkers
  }
}
