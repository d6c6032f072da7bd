import { Type } from 'typebox'

// Decision 0168: charge what the language model took beside the price.

/** What a language model was asked for, and what it cost. */
export const LanguageUsage = Type.Object(
  {
    model: Type.String(),
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    providerCostMicros: Type.Integer({ description: 'What the provider takes.' }),
    markupPct: Type.Integer(),
    chargedMicros: Type.Integer({ description: 'Cost and markup: the part of the price that depends on the model.' }),
    ceilingMicros: Type.Integer({ description: 'The most that this part could have been.' }),
  },
  { description: 'Missing if the model was not asked.' },
)
