import { type TObject, Type } from 'typebox'
import { Choice, usd } from '#kit'
import { TIERS } from '../../../../tasks/formats/language/tiers.ts'
import { MAX_TEXT_BYTES, type ServiceOffer, TASKS } from '../../../../tasks/products/language/index.ts'
import { route } from '../../../route.ts'

const Tier = Type.Object({
  available: Type.Boolean(),
  model: Type.Optional(Type.String()),
  estimateMicrosPer1kIn: Type.Optional(Type.Number({ description: 'For 1,000 tokens of input, markup included.' })),
  estimateMicrosPer1kOut: Type.Optional(Type.Number()),
})

export default route({
  at: 'GET /v1/llm/tasks',
  summary: 'List the language tasks, and who does each of them here.',
  keywords: 'language task catalog, models, tiers, what can llm do, prices of models',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      tasks: Type.Array(
        Type.Object({
          slug: Type.String(),
          description: Type.String(),
          params: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema.' }),
          result: Type.Unsafe<object>({ type: 'object', description: 'JSON Schema.' }),
          tiers: Type.Record(Choice(TIERS), Tier),
          service: Type.Optional(
            Type.Object(
              { provider: Type.String(), estimateMicrosPer1kChars: Type.Number() },
              { description: 'It answers before a model, but for the tier `best` and for what it cannot do.' },
            ),
          ),
          embedded: Type.Object({
            available: Type.Boolean(),
            engine: Type.Optional(Type.String()),
            quality: Type.Optional(Choice(['basic'])),
            languages: Type.Optional(Type.Union([Choice(['any']), Type.Array(Type.String())])),
            conditional: Type.Optional(Type.Boolean({ description: 'It can do only some of what can be asked.' })),
          }),
        }),
      ),
      markupPct: Type.Optional(Type.Integer()),
      maxInputBytes: Type.Integer(),
      embeddedMicrosPer10KiB: Type.Integer(),
    }),
  },
  errors: [],

  handle(_asked, { offers: { language, services } }) {
    return {
      tasks: TASKS.map(({ slug, summary, params, result, embedded, model, service }) => ({
        ...{ slug, description: summary, params: describeParams(params), result },
        tiers: Object.fromEntries(TIERS.map(tier => [tier, describeTier(model ? language?.[tier] : undefined)])),
        ...(service && describeService(services?.[service.tool])),
        embedded: embedded
          ? {
              ...{ available: true, engine: embedded.engine, quality: 'basic', languages: embedded.languages },
              ...(embedded.accepts && { conditional: true }),
            }
          : { available: false },
      })),
      ...(language && { markupPct: language.value.markupPct }),
      ...{ maxInputBytes: MAX_TEXT_BYTES, embeddedMicrosPer10KiB: Number(usd('0.001')) },
    }
  },
})

/** What has a default need not be given. */
function describeParams(params: TObject): object {
  const { required = [], ...schema } = params as TObject & { required?: string[] }
  const needed = required.filter(name => !('default' in params.properties[name]!))
  return { ...schema, ...(needed.length > 0 && { required: needed }) }
}

function describeService(offer: ServiceOffer | undefined) {
  if (!offer) return undefined
  const { provider, usdPerMillion, markupPct } = offer
  return { service: { provider, estimateMicrosPer1kChars: roundMicros(usdPerMillion * 1_000 * (1 + markupPct / 100)) } }
}

function roundMicros(micros: number): number {
  return Math.round(micros * 1e3) / 1e3
}

function describeTier(offer: { model: string; input: number; output: number; markupPct: number } | undefined) {
  if (!offer) return { available: false }
  const per1k = (price: number) => roundMicros(price * 1_000 * (1 + offer.markupPct / 100))
  return {
    ...{ available: true, model: offer.model },
    ...{ estimateMicrosPer1kIn: per1k(offer.input), estimateMicrosPer1kOut: per1k(offer.output) },
  }
}
