import { resolve } from 'node:path'
import type { VisionEngine } from '../../tasks/formats/vision/served.ts'
import type { VisionConfig } from '../providers/vision/contract.ts'
import { ConfigError, type VariableValues } from '../variables.ts'

export function readVisionConfig(values: VariableValues): VisionConfig {
  const { AZURE_VISION_URL: azureUrl, AZURE_VISION_KEY: azureKey, GOOGLE_VISION_KEY: googleKey } = values
  if (azureKey && !azureUrl) throw new ConfigError('AZURE_VISION_URL must be set when AZURE_VISION_KEY is set.')
  return {
    order: values.VISION_PROVIDERS.split(',').map(name => name.trim() as VisionEngine),
    modelsDir: values.MODELS_DIR && resolve(values.MODELS_DIR),
    rekognition: readRekognition(values),
    google: googleKey ? { url: values.GOOGLE_VISION_URL, key: googleKey } : undefined,
    // The api gets the address alone.
    azure: azureUrl && azureKey ? { url: azureUrl, key: azureKey } : undefined,
    comparesFaces: values.VISION_COMPARE_FACES,
    tellsDemographics: values.VISION_DEMOGRAPHICS,
  }
}

function readRekognition(values: VariableValues): VisionConfig['rekognition'] {
  const { REKOGNITION_REGION: region, REKOGNITION_URL: endpoint } = values
  const { REKOGNITION_ACCESS_KEY_ID: accessKeyId, REKOGNITION_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (!region && (endpoint || accessKeyId || secretAccessKey))
    throw new ConfigError('REKOGNITION_REGION must be set when another REKOGNITION variable is set.')
  if (!accessKeyId !== !secretAccessKey)
    throw new ConfigError('REKOGNITION_ACCESS_KEY_ID and REKOGNITION_SECRET_ACCESS_KEY must be set together.')
  if (!region) return undefined
  return {
    region,
    endpoint,
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  }
}
