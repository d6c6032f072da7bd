import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OneOf, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Who verifies identities; undefined: people do, if the operator has any. */
    identity?: IdentityConfig
  }
}

export const IDENTITY_PROVIDERS = ['stripe', 'veriff', 'persona', 'didit', 'onfido', 'sumsub'] as const

export interface IdentityConfig {
  provider: (typeof IDENTITY_PROVIDERS)[number]
  key: string
  /** By which calls are signed, where the provider wants that. */
  secretKey: string | undefined
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
  IDENTITY_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'API key of that provider; of Onfido, an API token, and of Sumsub, an app token.',
  }),
  IDENTITY_SECRET_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'The secret key that Sumsub shows once beside a new app token. No other provider has one.',
  }),
  IDENTITY_WEBHOOK_SECRET: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description:
      'Secret by which the provider signs its webhooks; of Veriff, the shared secret of the integration. At Sumsub, choose SHA-256 or SHA-512.',
  }),
  IDENTITY_WORKFLOW: OptionalText({
    displayDefault: 'none',
    description:
      'The template of inquiries at Persona, the workflow at Didit or in the Studio of Onfido, or the level at Sumsub.',
  }),
  IDENTITY_URL: OptionalUrl({
    displayDefault: "the provider's own",
    description:
      'Address of the interface of that provider, or of a server that speaks it. Onfido is asked in the EU; in the United States it is `https://api.us.onfido.com`, in Canada `https://api.ca.onfido.com`.',
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
  const { IDENTITY_SECRET_KEY: secretKey, IDENTITY_WORKFLOW: workflow, IDENTITY_URL: url } = values
  const place = PLACES[provider]
  if (!workflow && place)
    throw new ConfigError(`IDENTITY_PROVIDER is ${provider}, so IDENTITY_WORKFLOW must name ${place}.`)
  if (!secretKey && provider === 'sumsub')
    throw new ConfigError(
      'IDENTITY_PROVIDER is sumsub, so IDENTITY_SECRET_KEY must be the secret key that belongs to the app token in IDENTITY_KEY.',
    )
  return { provider, key, secretKey, webhookSecret, workflow, url }
}

/** What says there what a session asks for. */
const PLACES: Partial<Record<IdentityConfig['provider'], string>> = {
  ...{ persona: 'a template', didit: 'a workflow', onfido: 'a workflow', sumsub: 'a level' },
}
