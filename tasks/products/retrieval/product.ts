import { product } from '#kit'

const retrieval = product({
  title: 'Retrieval',
  summary: 'Answers from documents, with the words that prove them.',
  family: 'rag',
  otherFamilies: { bundles: 'Documents made searchable.' },
  problems: {
    QUESTION_EMPTY: [422, 'The question has no words.'],
  },
})

export default retrieval

declare module '../../kit/product.ts' {
  interface Products {
    retrieval: typeof retrieval
  }
}
