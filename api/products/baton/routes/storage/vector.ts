import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/vector',
  preset: 'vector',
  summary: 'Create a store of vectors or texts, to search for what is nearest.',
  keywords:
    'vector database, semantic search, embeddings, similarity, rag, knowledge base, store texts to search, nearest neighbours, keep notes and search them by wording or meaning',
  example: { tier: 'nano', vector: { metric: 'cosine' } },
})
