import { numberSetting, product } from '#kit'

const vector = product({
  title: 'Vectors',
  summary: 'Vectors of a baton, and the search for those that are near.',
  exported: 'vector.export_account',
  restored: 'vector.after_restore',
  lastingSteps: ['vector.update-index'],
  family: 'baton',
  problems: {
    VECTOR_EXISTS: [409, 'There is a vector with this id already.'],
  },
  settings: {
    'vector.memory_mib': numberSetting(
      512,
      16,
      65_536,
      'Memory that each api process keeps vectors in, in MiB; searches under way may take as much again.',
    ),
    'vector.word_memory_mib': numberSetting(
      128,
      0,
      16_384,
      'Memory that each api process keeps the words of texts in, in MiB, for hybrid searches and answers from documents; what does not fit is looked through in the database.',
    ),
  },
})

export default vector

declare module '../../kit/product.ts' {
  interface Products {
    vector: typeof vector
  }
}
