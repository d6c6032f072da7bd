import { Type } from 'typebox'
import { Choice, LANES, type PaymentNetwork } from '#kit'
import { HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import type { ApiContext } from '../../context.ts'
import { describeLists } from '../../products/screening/index.ts'
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

const Lists = Type.Object({
  available: Type.Boolean(),
  state: Choice(['full', 'partial', 'none']),
  loaded: Type.Array(Type.String()),
  missing: Type.Array(Type.String()),
  set: Type.Optional(Type.String({ description: 'What the operator sets for the missing lists.' })),
})

/** Whether a wallet can pay for a call without an account. */
function describeWalletPayments(network: PaymentNetwork | undefined) {
  if (!network) return { available: false, reason: 'no facilitator is configured' }
  const assets = network.assets.map(({ symbol, address }) => ({ symbol, address }))
  return { available: true, network: network.caip2, payTo: network.payTo, assets }
}

function describeNotify({ config: { notify }, mail }: Pick<ApiContext, 'config' | 'mail'>) {
  const describe = (isConfigured: boolean, set: string) =>
    isConfigured ? { available: true } : { available: false, set }
  return {
    email: describe(mail.isSending, 'SMTP_URL'),
    slack: describe(notify.slack !== undefined, 'SLACK_BOT_TOKEN, or give the address of an incoming webhook'),
    telegram: describe(notify.telegram !== undefined, 'TELEGRAM_BOT_TOKEN'),
    sms: describe(notify.sms !== undefined, 'TWILIO_ACCOUNT'),
    webhook: { available: true },
  }
}

function describeIdentity({ config: { identity }, settings }: Pick<ApiContext, 'config' | 'settings'>) {
  const decidedBy = identity?.provider ?? (settings.get('idverify.manual_review_enabled') ? 'reviewers' : undefined)
  if (decidedBy) return { available: true, decidedBy }
  return { available: false, set: 'IDENTITY_PROVIDER, or idverify.manual_review_enabled where people review' }
}

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
      embedding: Type.Object({
        model: Type.String({ description: 'What embeds the texts of new vector batons.' }),
        semantic: Type.Boolean({ description: 'Whether it compares meanings, not wording alone.' }),
        set: Type.Optional(Type.String({ description: 'What the operator sets for a model of meanings.' })),
      }),
      vectorIndex: Type.Object({
        store: Choice(['exact', 'pgvector', 'qdrant'], { description: '`exact`: all vectors are compared.' }),
        indexFrom: Type.Optional(Type.Integer({ description: 'Vectors of a namespace from which on it is indexed.' })),
        set: Type.Optional(Type.String({ description: 'What the operator sets for an index.' })),
      }),
      notify: Type.Record(
        Type.String(),
        Type.Object({ available: Type.Boolean(), set: Type.Optional(Type.String()) }),
        { description: 'By what people can be asked and told, besides links.' },
      ),
      identity: Type.Object({
        available: Type.Boolean({ description: 'Whether identities can be verified here.' }),
        decidedBy: Type.Optional(Type.String({ description: 'A provider, or reviewers of the operator.' })),
        set: Type.Optional(Type.String({ description: 'What the operator sets for it.' })),
      }),
      screening: Type.Record(Type.String(), Lists, { description: 'By the families of lists: `sanctions` and `pep`.' }),
      payments: Type.Object({ prepaid: PaymentMethod, x402: PaymentMethod }),
    }),
  },
  errors: [],
  async handle({ reply }, context) {
    const { availability, catalog, config, payments } = context
    reply.header('cache-control', 'public, max-age=5')
    return {
      ...buildCapabilities(catalog.entries, availability.tools()),
      sources: {
        url: config.outbound === 'public' ? { available: true } : { available: false, set: 'OUTBOUND=public' },
      },
      embedding: config.embedding
        ? { model: config.embedding.model, semantic: true }
        : { model: HASH_MODEL, semantic: false, set: 'EMBEDDING_URL, or a model of texts in MODELS_DIR' },
      vectorIndex: config.vectorIndex
        ? { store: config.vectorIndex.kind, indexFrom: config.vectorIndex.indexFrom }
        : { store: 'exact' as const, set: 'VECTOR_INDEX' },
      notify: describeNotify(context),
      identity: describeIdentity(context),
      screening: await describeLists(context),
      payments: { prepaid: { available: true }, x402: describeWalletPayments(payments?.network) },
    }
  },
})
