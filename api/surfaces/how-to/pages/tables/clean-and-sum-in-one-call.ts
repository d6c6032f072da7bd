import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Clean, filter and sum a table in one call',
  lead: 'A pipeline runs several operations after each other. Nothing travels between them, and either all of it succeeds or nothing is charged.',
  keywords: 'pipeline, workflow, chain, transform, etl, several operations',
  steps: [
    {
      call: 'pipeline.run',
      input: {
        file: { text: 'city,amount\nRome,10\nOslo,\nRome,7\nOslo,12\n' },
        steps: [
          { op: 'data/dropna' },
          { op: 'data/filter', params: { where: 'amount > 5' } },
          { op: 'data/groupby', params: { by: ['city'], aggs: [{ column: 'amount', fn: 'sum', as: 'total' }] } },
        ],
        outFormat: 'json',
      },
    },
  ],
  pitfalls: [
    'The error of a failing step names it by its number, and nothing is charged for the steps before it.',
    'Columns that a step makes exist only after it; `COLUMN_NOT_FOUND` lists those that are there.',
    '`maxMicros` is the most that you would pay; a call that would cost more is refused before it runs.',
    'A pipeline that you run often can be saved with `PUT /v1/pipelines/{name}` and run by its name.',
  ],
})
