import { Problem } from '#kit'
import type { EmbeddingRequest, Embeddings } from '../../../ops/providers/embedding/contract.ts'
import { EMBEDDING_PROVIDERS } from '../../../ops/providers/embedding/settings.ts'
import type { HostContext } from '../../host-context.ts'

/** The models that embed texts, as the operator has given them prices. */
export function bind(context: HostContext) {
  return { embed: (request: EmbeddingRequest) => requireEmbeddings(context).embed(request, context) }
}

/** The tool is there where a model has a price. */
export async function version(context: HostContext): Promise<string> {
  return requireEmbeddings(context).description
}

function requireEmbeddings({ embeddings }: HostContext): Embeddings {
  if (!embeddings)
    throw new Problem('PROVIDER_NOT_CONFIGURED', { capability: 'embedding', adapters: [...EMBEDDING_PROVIDERS] })
  return embeddings
}
