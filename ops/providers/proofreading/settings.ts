import { type Static, type TObject, Type } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { MarkupPct, OptionalText, OptionalUrl } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Without a service, texts are proofread by a language model or by our own rules. */
    proofreading?: ProofreadingConfig
  }
}

export interface ProofreadingConfig {
  url: string
  account: { username: string; apiKey: string } | undefined
  usdPerMillion: number
  markupPct: number
}

const variables = {
  LANGUAGETOOL_URL: OptionalUrl({
    displayDefault: 'no such service',
    description:
      'Who proofreads texts: a server of LanguageTool, such as `http://127.0.0.1:8010`, or `https://api.languagetoolplus.com` with an account.',
  }),
  LANGUAGETOOL_USERNAME: OptionalText({ displayDefault: 'none', description: 'Name of an account there.' }),
  LANGUAGETOOL_API_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that account; only workers get it.',
  }),
  LANGUAGETOOL_USD_PER_MILLION: Type.Number({
    default: 0,
    minimum: 0,
    maximum: 1_000,
    description: 'What the service takes for a million characters, in USD; 0 for a server of your own.',
  }),
  LANGUAGETOOL_MARKUP_PCT: MarkupPct('What callers pay beyond the price of the service, in per cent.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Proofreading',
  variables,
  secretsOf: { worker: ['LANGUAGETOOL_API_KEY'] },
  read: values => ({ proofreading: readProofreadingConfig(values) }),
})

function readProofreadingConfig(values: Values): ProofreadingConfig | undefined {
  const { LANGUAGETOOL_URL: url, LANGUAGETOOL_USD_PER_MILLION: usdPerMillion } = values
  if (url === undefined) {
    if (values.LANGUAGETOOL_USERNAME || values.LANGUAGETOOL_API_KEY)
      throw new ConfigError('LANGUAGETOOL_URL must be set when an account of LanguageTool is.')
    return undefined
  }
  return { url, account: readAccount(values), usdPerMillion, markupPct: values.LANGUAGETOOL_MARKUP_PCT }
}

/** The api gets no key, so a name alone is no fault. */
function readAccount(values: Values): ProofreadingConfig['account'] {
  const { LANGUAGETOOL_USERNAME: username, LANGUAGETOOL_API_KEY: apiKey } = values
  if (apiKey === undefined) return undefined
  if (username === undefined) throw new ConfigError('LANGUAGETOOL_USERNAME must be set with LANGUAGETOOL_API_KEY.')
  return { username, apiKey }
}
