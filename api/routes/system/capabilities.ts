import { Type } from 'typebox'
import { LANES, type PaymentNetwork } from '#kit'
import { loadProductCapabilities } from '../../product-capabilities.ts'
import { route } from '../../route.ts'
import { buildCapabilities } from '../../surfaces/capabilities.ts'

const MissingTool = Type.Object({
  tool: Type.String(),
  install: Type.Optional(Type.String()),
  adapters: Type.Optional(Type.Array(Type.String(), { description: 'The providers that can be configured for it.' })),
})
const Tool = Type.Object({
  tool: Type.String(),
  lane: Type.String({ enum: [...LANES] }),
  available: Type.Boolean(),
  version: Type.Optional(Type.String()),
  install: Type.Optional(Type.String({ description: 'A command that installs it.' })),
})
const PaymentMethod = Type.Object({
  available: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  network: Type.Optional(Type.String()),
  payTo: Type.Optional(Type.String()),
  assets: Type.Optional(Type.Array(Type.Object({ symbol: Type.String(), address: Type.String() }))),
})
const UrlSource = Type.Object({
  available: Type.Boolean({ description: 'Whether a file can be given as an address on the web.' }),
  set: Type.Optional(Type.String({ description: 'What the operator sets to allow it.' })),
})
const Operation = Type.Object({
  available: Type.Boolean(),
  provider: Type.Optional(Type.String({ description: 'Who does the work, where the operator has a choice.' })),
  model: Type.Optional(Type.String()),
  missing: Type.Optional(
    Type.Array(MissingTool, { description: 'Of an available operation, what only some of its calls need.' }),
  ),
})

/** Whether a wallet can pay for a call without an account. */
function describeWalletPayments(network: PaymentNetwork | undefined) {
  if (!network) return { available: false, reason: 'no facilitator is configured' }
  const assets = network.assets.map(({ symbol, address }) => ({ symbol, address }))
  return { available: true, network: network.caip2, payTo: network.payTo, assets }
}

const ofProducts = await loadProductCapabilities()

export default route({
  at: 'GET /v1/capabilities',
  summary: 'List which operations can run here, and which tools the others lack.',
  keywords: 'what works here, what is not available, missing tools, installed features, unsupported',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      operations: Type.Record(Type.String(), Operation),
      tools: Type.Array(Tool),
      sources: Type.Object({ url: UrlSource }),
      ...Object.fromEntries(ofProducts.map(({ name, schema }) => [name, schema])),
      payments: Type.Object({ prepaid: PaymentMethod, x402: PaymentMethod }),
      quiet: Type.Boolean({
        description:
          'Whether this is a copy of an installation that settles, sends and asks nothing until it is woken.',
      }),
    }),
  },
  errors: [],
  async handle({ reply }, context) {
    const { availability, catalog, config, payments } = context
    reply.header('cache-control', 'public, max-age=5')
    const described = await Promise.all(
      ofProducts.map(async ({ name, describe }) => [name, await describe(context)] as const),
    )
    return {
      ...buildCapabilities(catalog.entries, availability.tools()),
      sources: {
        url: config.outbound === 'public' ? { available: true } : { available: false, set: 'OUTBOUND=public' },
      },
      ...Object.fromEntries(described),
      payments: { prepaid: { available: true }, x402: describeWalletPayments(payments?.network) },
      quiet: config.isQuiet,
    }
  },
})
