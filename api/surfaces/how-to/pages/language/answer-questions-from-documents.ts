import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Answer questions from your documents',
  lead: 'Write documents to a store that can be searched by meaning, and ask. The answer quotes the words that prove it.',
  keywords: 'rag, vector, retrieval, embeddings, search, question answering, knowledge base',
  steps: [
    {
      call: 'bundles.rag-ingest',
      note: 'Read, cut, embed and write in one call, into a new store for a day.',
      input: {
        text: '# Tides\n\nHigh tide comes twice a day. Low tide is at six in the morning.',
        docId: 'tides',
        baton: { tier: 'femto' },
      },
      as: 'store',
    },
    {
      call: 'bundles.rag-query',
      note: 'The texts that fit, and an answer from them.',
      input: {
        batonId: answerField('store', 'batonId'),
        question: 'When is low tide?',
        answer: true,
        method: 'extractive',
      },
    },
  ],
  pitfalls: [
    'Writing a document again replaces it. A search finds it as it was or as it is, never half of it.',
    'A scan without text is refused. Make it searchable first.',
    'The store lives as long as its tier, and reading draws on its quota: femto is for trying.',
    '`extractive` quotes sentences and asks no model. A model writes better, and may be wrong; keep `requireCitations`.',
  ],
})
