import type { DocumentConfig } from '../providers/document/settings.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

export function readDocumentConfig(values: VariableValues): DocumentConfig {
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

function readTextract(values: VariableValues): DocumentConfig['textract'] {
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

function readGoogle(values: VariableValues): DocumentConfig['google'] {
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
