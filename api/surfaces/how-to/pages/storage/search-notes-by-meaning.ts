import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Keep notes and search them by meaning',
  lead: 'A vector baton takes short texts, embeds them, and gives back those that are nearest to a question.',
  keywords: 'vector store, semantic search, memory of an agent, embeddings, notes, similarity, nearest',
  steps: [
    {
      call: 'storage.vector',
      note: 'A store for a day.',
      input: { tier: 'femto', vector: { metric: 'cosine' } },
      as: 'store',
    },
    {
      call: 'baton.write-vectors',
      note: 'A note with the same id is replaced.',
      input: {
        baton: answerField('store', 'id'),
        vectors: [
          { id: 'bread', text: 'Bread is baked at four in the morning.' },
          { id: 'tram', text: 'The last tram leaves at midnight.', metadata: { line: 7 } },
        ],
      },
    },
    {
      call: 'baton.query-vectors',
      note: 'The best match comes first.',
      input: { baton: answerField('store', 'id'), text: 'When is bread baked?', topK: 1 },
    },
  ],
  pitfalls: [
    'Without a provider of embeddings texts are compared by their wording; the answer says so by `semantic: false`.',
    'The first text decides the model and with it the dimensions of the store.',
    'Long documents are cut and written in one call by `bundles.rag-ingest`.',
    'The store lives as long as its tier, and reading draws on its quota: femto is for trying.',
  ],
})
