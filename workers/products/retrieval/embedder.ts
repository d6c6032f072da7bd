import { Problem } from '#kit'
import type { Embedder } from '../../../ops/providers/embedding/contract.ts'
import { openEmbedder } from '../../../ops/providers/embedding/open.ts'
import { countProviderCall } from '../../../sql/provider/usage.ts'
import type { WorkerContext } from '../../context.ts'

const opened = new WeakMap<WorkerContext, Embedder>()

/** The provider that embeds texts in this worker. The api has found one, or it would have chosen our own model. */
export function openTextEmbedder(context: WorkerContext): Embedder {
  const { config, db, log } = context
  const onUncounted = (error: Error) => log.warn({ err: error }, 'a call was not counted')
  const onCall = (call: Parameters<typeof countProviderCall>[1]) => void countProviderCall(db, call).catch(onUncounted)
  const embedder = opened.get(context) ?? openEmbedder(config.embedding, { onCall })
  if (!embedder) throw new Problem('PROVIDER_UNAVAILABLE', { capability: 'embedding', detail: 'this worker has none' })
  opened.set(context, embedder)
  return embedder
}
