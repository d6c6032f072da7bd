import type { Static, TObject } from 'typebox'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { OptionalText, OptionalUrl, Text, Url } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** Who reads documents instead of our own engines. */
    documents: DocumentConfig
  }
}

type DocumentProviderName = 'textract' | 'azure' | 'google'

export interface DocumentConfig {
  /** The first that is configured and offers an operation serves it; `local` is our own engines. */
  order: readonly (DocumentProviderName | 'local')[]
  textract?: TextractConfig
  azure?: { url: string; key: string }
  google?: GoogleConfig
}

export interface TextractConfig {
  region: string
  endpoint?: string
  /** Without them, those that the AWS SDK finds. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

/** What processors of Google read; an operator makes those that are needed. */
type GoogleProcessor = 'ocr' | 'form' | 'invoice' | 'licence' | 'passport'

export interface GoogleConfig {
  url: string
  account: { email: string; privateKey: string; tokenUrl: string }
  /** By their names: `projects/<project>/locations/<location>/processors/<id>`. */
  processors: Partial<Record<GoogleProcessor, string>>
}

const variables = {
  DOCUMENT_PROVIDERS: Text({
    default: 'textract,azure,google,local',
    expects: 'some of textract, azure, google, local, separated by commas',
    pattern: '^\\s*(textract|azure|google|local)(\\s*,\\s*(textract|azure|google|local))*\\s*$',
    description:
      'Who reads tables, forms, layouts, invoices and identity documents: the first of these that is configured and offers it. `local` is our own engines, which also serve what none of them does.',
  }),
  TEXTRACT_REGION: OptionalText({
    displayDefault: 'no Textract',
    description: 'Region in which Amazon Textract is called.',
  }),
  TEXTRACT_ACCESS_KEY_ID: OptionalText({
    displayDefault: 'the AWS chain',
    description: 'Access key for Textract; only workers get it.',
  }),
  TEXTRACT_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key; only workers get it.',
  }),
  TEXTRACT_URL: OptionalUrl({
    displayDefault: "Amazon's own",
    description: 'Another server with the same API as Textract.',
  }),
  AZURE_DOCUMENT_URL: OptionalUrl({
    displayDefault: 'no Azure',
    description: 'Endpoint of a resource of Azure Document Intelligence.',
  }),
  AZURE_DOCUMENT_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that resource; only workers get it.',
  }),
  GOOGLE_DOCUMENT_PROCESSORS: OptionalText({
    displayDefault: 'no Document AI',
    description:
      'Processors of Google Document AI, separated by commas, such as `form=projects/p/locations/eu/processors/1`; `ocr`, `form`, `invoice`, `licence` and `passport` can be given.',
  }),
  GOOGLE_DOCUMENT_URL: Url({
    default: 'https://us-documentai.googleapis.com',
    description: 'Address of Document AI in the location of the processors.',
  }),
  GOOGLE_DOCUMENT_EMAIL: OptionalText({
    displayDefault: 'none',
    description: 'Service account that may use the processors.',
  }),
  GOOGLE_DOCUMENT_PRIVATE_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Its private key as PEM, with line breaks or `\\n`; only workers get it.',
  }),
  GOOGLE_DOCUMENT_TOKEN_URL: Url({
    default: 'https://oauth2.googleapis.com/token',
    description: 'Where its tokens are issued.',
  }),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Document AI',
  variables,
  secretsOf: {
    worker: [
      'TEXTRACT_ACCESS_KEY_ID',
      'TEXTRACT_SECRET_ACCESS_KEY',
      'AZURE_DOCUMENT_KEY',
      'GOOGLE_DOCUMENT_PRIVATE_KEY',
    ],
  },
  read: values => ({ documents: readDocumentConfig(values) }),
})

function readDocumentConfig(values: Values): DocumentConfig {
  const { AZURE_DOCUMENT_URL: url, AZURE_DOCUMENT_KEY: key } = values
  if (key && !url) throw new ConfigError('AZURE_DOCUMENT_URL must be set when AZURE_DOCUMENT_KEY is set.')
  return {
    order: values.DOCUMENT_PROVIDERS.split(',').map(name => name.trim() as DocumentConfig['order'][number]),
    textract: readTextract(values),
    // The api gets the address alone.
    azure: url && key ? { url, key } : undefined,
    google: readGoogle(values),
  }
}

function readTextract(values: Values): DocumentConfig['textract'] {
  const { TEXTRACT_REGION: region, TEXTRACT_URL: endpoint } = values
  const { TEXTRACT_ACCESS_KEY_ID: accessKeyId, TEXTRACT_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (!region && (endpoint || accessKeyId || secretAccessKey))
    throw new ConfigError('TEXTRACT_REGION must be set when another TEXTRACT variable is set.')
  if (!accessKeyId !== !secretAccessKey)
    throw new ConfigError('TEXTRACT_ACCESS_KEY_ID and TEXTRACT_SECRET_ACCESS_KEY must be set together.')
  if (!region) return undefined
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  return { region, endpoint, credentials }
}

const GOOGLE_PROCESSORS = ['ocr', 'form', 'invoice', 'licence', 'passport'] as const
const PROCESSOR = /^\s*(\w+)=(projects\/[\w.:-]+\/locations\/[\w-]+\/processors\/[\w-]+)\s*$/

function readGoogle(values: Values): DocumentConfig['google'] {
  const { GOOGLE_DOCUMENT_PROCESSORS: listed, GOOGLE_DOCUMENT_EMAIL: email } = values
  const { GOOGLE_DOCUMENT_PRIVATE_KEY: key, GOOGLE_DOCUMENT_URL: url, GOOGLE_DOCUMENT_TOKEN_URL: tokenUrl } = values
  if (!listed !== !email)
    throw new ConfigError('GOOGLE_DOCUMENT_PROCESSORS and GOOGLE_DOCUMENT_EMAIL must be set together.')
  // The api gets no key.
  if (!listed || !email || !key) return undefined
  const processors = Object.fromEntries(listed.split(',').map(readProcessor))
  return { url, account: { email, privateKey: key.replaceAll('\\n', '\n'), tokenUrl }, processors }
}

function readProcessor(text: string): [kind: string, name: string] {
  const [, kind = '', name = ''] = PROCESSOR.exec(text) ?? []
  if (!GOOGLE_PROCESSORS.some(known => known === kind))
    throw new ConfigError(`GOOGLE_DOCUMENT_PROCESSORS must list ${GOOGLE_PROCESSORS.join(', ')} as kind=projects/...`)
  return [kind, name]
}
