import { Type } from 'typebox'
import { resolveBaton } from '../../../../tasks/products/baton/resolve.ts'
import { route } from '../../../route.ts'
import { CHOICE_FIELDS, PresetField, QuoteReply, ShapeReply, showShape } from '../fields/preset.ts'
import { readRates, showQuote } from '../rates.ts'

export default route({
  at: 'POST /v1/baton/quote',
  summary: 'Get the price of a baton, line by line. Quotes are free.',
  keywords: 'storage cost, estimate, price of a shape, how much does storing cost, price for a week',
  auth: ['none'],
  body: Type.Object({ preset: PresetField, ...CHOICE_FIELDS }, { additionalProperties: false }),
  reply: {
    status: 200,
    schema: Type.Object({
      preset: Type.String(),
      tier: Type.String(),
      behaviour: Type.String(),
      shape: ShapeReply,
      quote: QuoteReply,
    }),
  },
  errors: ['PRECONFIG_NOT_FOUND', 'INVALID_SHAPE', 'FLAG_DEPENDENCY_UNMET'],
  examples: [
    { title: 'A bundled shape', input: { preset: 'drop', tier: 'nano' } },
    {
      title: 'A shape of your own',
      input: {
        preset: 'scratchpad',
        customShape: { sizeBytes: 1_048_576, durationSeconds: 3_600, maxEgressBytes: 10_485_760, writesAllowed: 500 },
      },
    },
  ],

  handle({ body }, { settings }) {
    const { behaviour, tier, shape, quote } = resolveBaton(body, readRates(settings))
    return { preset: body.preset, tier, behaviour, shape: showShape(shape), quote: showQuote(quote) }
  },
})
