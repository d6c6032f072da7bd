import type { DocumentConfig } from '../providers/document/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

export function readDocumentConfig(values: VariableValues): DocumentConfig {
  return {
    order: values.DOCUMENT_PROVIDERS.split(',').map(name => name.trim() as DocumentConfig['order'][number]),
    textract: readTextract(values),
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
