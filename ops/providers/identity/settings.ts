import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OneOf, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Who verifies identities; undefined: people do, if the operator has any. */
    identity?: IdentityConfig
  }
}

export const IDENTITY_PROVIDERS = ['stripe', 'veriff', 'persona', 'didit'] as const

export interface IdentityConfig {
  provider: (typeof IDENTITY_PROVIDERS)[number]
  key: string
  webhookSecret: string
  workflow: string | undefined
  url: string | undefined
}

const variables = {
  IDENTITY_PROVIDER: OneOf(
    ['none', ...IDENTITY_PROVIDERS],
    'none',
    'Who verifies identity documents and faces for POST /v1/idverify/verifications. Its webhooks go to /v1/idverify/messages.',
  ),
  IDENTITY_KEY: OptionalText({ isSecret: true, displayDefault: 'none', description: 'API key of that provider.' }),
  IDENTITY_WEBHOOK_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Secret by which the provider signs its webhooks; of Veriff, the shared secret of the integration.',
  }),
  IDENTITY_WORKFLOW: OptionalText({
    displayDefault: 'none',
    description: 'The template of inquiries at Persona, or the workflow at Didit.',
  }),
  IDENTITY_URL: OptionalUrl({
    displayDefault: "the provider's own",
    description: 'Address of the interface of that provider, or of a server that speaks it.',
  }),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Identity verification',
  variables,
  read: values => ({ identity: readIdentityConfig(values) }),
})

function readIdentityConfig(values: Values): IdentityConfig | undefined {
  const { IDENTITY_PROVIDER: provider, IDENTITY_KEY: key, IDENTITY_WEBHOOK_SECRET: webhookSecret } = values
  if (provider === 'none') return undefined
  if (!key || !webhookSecret)
    throw new ConfigError('IDENTITY_PROVIDER is set, so IDENTITY_KEY and IDENTITY_WEBHOOK_SECRET must be set too.')
  const { IDENTITY_WORKFLOW: workflow, IDENTITY_URL: url } = values
  if (!workflow && (provider === 'persona' || provider === 'didit'))
    throw new ConfigError(`IDENTITY_PROVIDER is ${provider}, so IDENTITY_WORKFLOW must name a template or workflow.`)
  return { provider, key, webhookSecret, workflow, url }
}
