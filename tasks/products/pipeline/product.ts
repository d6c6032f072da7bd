import { flagSetting, numberSetting, product } from '#kit'

const pipeline = product({
  title: 'Pipelines',
  summary: 'Several operations as one call.',
  exported: 'pipeline.export_account',
  erase: 'pipeline.erase_account',
  problems: {
    TOO_MANY_PIPELINES: [409, 'The account has as many versions of pipelines as it can have; delete a pipeline first.'],
  },
  settings: {
    'pipeline.allow_files': flagSetting(
      true,
      'Whether steps of a pipeline may be operations on images, PDFs and documents.',
    ),
    'pipeline.max_file_steps': numberSetting(10, 1, 50, 'How many steps of a pipeline may be such operations.'),
    'pipeline.max_saved': numberSetting(
      200,
      0,
      10_000,
      'How many versions of saved pipelines one account may have, all names together.',
    ),
  },
})

export default pipeline

declare module '../../kit/product.ts' {
  interface Products {
    pipeline: typeof pipeline
  }
}
