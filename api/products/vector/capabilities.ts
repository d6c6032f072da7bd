import { Type } from 'typebox'
import { Choice } from '#kit'
import { HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import { defineCapability } from '../../product-capabilities.ts'

export default [
  defineCapability({
    name: 'embedding',
    schema: Type.Object({
      model: Type.String({ description: 'What embeds the texts of new vector batons.' }),
      semantic: Type.Boolean({ description: 'Whether it compares meanings, not wording alone.' }),
      set: Type.Optional(Type.String({ description: 'What the operator sets for a model of meanings.' })),
    }),
    describe: ({ config: { embedding } }) =>
      embedding
        ? { model: embedding.model, semantic: true }
        : {
            model: HASH_MODEL,
            semantic: false,
            set: 'EMBEDDING_URL or EMBEDDING_PROVIDER, or a model of texts in MODELS_DIR',
          },
  }),
  defineCapability({
    name: 'vectorIndex',
    schema: Type.Object({
      store: Choice(['exact', 'pgvector', 'qdrant', 'pinecone'], { description: '`exact`: all vectors are compared.' }),
      indexFrom: Type.Optional(Type.Integer({ description: 'Vectors of a namespace from which on it is indexed.' })),
      set: Type.Optional(Type.String({ description: 'What the operator sets for an index.' })),
    }),
    describe: ({ config: { vectorIndex } }) =>
      vectorIndex
        ? { store: vectorIndex.kind, indexFrom: vectorIndex.indexFrom }
        : { store: 'exact' as const, set: 'VECTOR_INDEX' },
  }),
]
