import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Extract fields from a text',
  lead: 'Describe what you want as a JSON Schema. Formats, patterns and labels are found without a model; anything else needs one, and its answer is checked against the schema.',
  keywords: 'extract, structured data, json schema, parse text, entities, fields',
  steps: [
    {
      call: 'llm.extract',
      input: {
        input: 'Invoice\nTotal: 119.00\nQuestions: help@example.com',
        params: {
          schema: {
            type: 'object',
            properties: {
              total: { type: 'number', pattern: 'Total: ([0-9.]+)' },
              mail: { type: 'string', format: 'email' },
            },
          },
        },
        method: 'embedded',
      },
    },
  ],
  pitfalls: [
    'What the text does not say is left out and listed in `missing`, so do not take absence for zero.',
    'With `method: "embedded"` a schema without format, pattern or label cannot be filled.',
    'Patterns are RE2: no look-ahead, no back-reference.',
    'A long document is cheaper as text: turn it into Markdown first and send the part that matters.',
  ],
})
