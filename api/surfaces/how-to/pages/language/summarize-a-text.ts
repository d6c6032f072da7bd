import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Summarize a text, with or without a model',
  lead: 'The built-in engine takes the sentences that say most. Where the operator has a language model, it writes a summary of its own.',
  keywords: 'summary, tldr, abstract, shorten, llm, text',
  steps: [
    {
      call: 'llm.summarize',
      input: {
        input:
          'Tides are the rise and fall of the sea. Tides are caused by the gravity of the moon and of the sun. Sailors read tables of tides. The moon pulls most.',
        params: { style: 'tldr' },
        method: 'embedded',
      },
    },
  ],
  pitfalls: [
    '`method: "auto"` asks a model where there is one. `embedded` never does, so the text does not leave the service and the price is fixed.',
    'Set `maxCostMicros` for a model: a call that could cost more is refused before it runs.',
    'The built-in engine never writes a sentence that is not in the text, so it invents nothing and rephrases nothing.',
    '`GET /v1/llm/tasks` says who does each task here.',
  ],
})
