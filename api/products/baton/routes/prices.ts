import { Type } from 'typebox'
import { Choice } from '#kit'
import { hasWitnessAlways, PRESET_NAMES, PRESETS } from '../../../../tasks/products/baton/presets.ts'
import { quoteShape } from '../../../../tasks/products/baton/price.ts'
import { TIER_SHAPES, TIERS } from '../../../../tasks/products/baton/tiers.ts'
import { route } from '../../../route.ts'
import { QuoteReply, ShapeReply, showShape } from '../fields/preset.ts'
import { readRates, showQuote } from '../rates.ts'

export default route({
  at: 'GET /v1/baton/prices',
  summary: 'List the presets, the bundled shapes of batons with their prices, and the rates of your own shapes.',
  keywords: 'storage cost, baton tiers, presets, how much',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      presets: Type.Array(
        Type.Object({
          preset: Type.String(),
          behaviour: Type.String(),
          witness: Type.Boolean({ description: 'Its price has a witness in it.' }),
          summary: Type.String(),
        }),
      ),
      tiers: Type.Array(Type.Object({ tier: Choice(TIERS), shape: ShapeReply, quote: QuoteReply })),
      rates: Type.Object({
        baseMicros: Type.String(),
        storageGibDayMicros: Type.String(),
        egressGibMicros: Type.String(),
        thousandWritesMicros: Type.String(),
        thousandReadsMicros: Type.String(),
        witnessMicros: Type.String(),
      }),
    }),
  },
  errors: [],

  handle(_, { settings }) {
    const rates = readRates(settings)
    return {
      presets: PRESET_NAMES.map(preset => ({
        preset,
        behaviour: PRESETS[preset].behaviour,
        witness: hasWitnessAlways(preset),
        summary: PRESETS[preset].summary,
      })),
      tiers: TIERS.map(tier => ({
        tier,
        shape: showShape(TIER_SHAPES[tier]),
        quote: showQuote(quoteShape(TIER_SHAPES[tier], rates)),
      })),
      rates: {
        baseMicros: String(rates.base),
        storageGibDayMicros: String(rates.storageGibDay),
        egressGibMicros: String(rates.egressGib),
        thousandWritesMicros: String(rates.thousandWrites),
        thousandReadsMicros: String(rates.thousandReads),
        witnessMicros: String(rates.witness),
      },
    }
  },
})
