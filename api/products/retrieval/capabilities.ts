import { Type } from 'typebox'
import { Choice } from '#kit'
import { defineCapability } from '../../product-capabilities.ts'

export default [
  defineCapability({
    name: 'answers',
    schema: Type.Object({
      available: Type.Boolean(),
      method: Choice(['extractive', 'provider'], {
        description: 'What writes the answers of rag/answer: sentences of the texts, or the model of a tier.',
      }),
      models: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'By tier.' })),
      set: Type.Optional(Type.String({ description: 'What the operator sets for a model.' })),
    }),
    describe({ offers }) {
      const tiers = Object.entries(offers.language ?? {}).map(([tier, { model }]) => [tier, model] as const)
      if (tiers.length === 0)
        return { available: true, method: 'extractive' as const, set: 'LLM_PROVIDER and LLM_VALUE' }
      return { available: true, method: 'provider' as const, models: Object.fromEntries(tiers) }
    },
  }),
]
