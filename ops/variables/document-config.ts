import type { DocumentConfig } from '../providers/document/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

export function readDocumentConfig(values: VariableValues): DocumentConfig {
  const { AZURE_DOCUMENT_URL: url, AZURE_DOCUMENT_KEY: key } = values
  if (key && !url) throw new ConfigError('AZURE_DOCUMENT_URL must be set when AZURE_DOCUMENT_KEY is set.')
  return {
    order: values.DOCUMENT_PROVIDERS.split(',').map(name => name.trim() as DocumentConfig['order'][number]),
    textract: readTextract(values),
    // The api gets the address alone.
    azure: url && key ? { url, key } : undefined,
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
