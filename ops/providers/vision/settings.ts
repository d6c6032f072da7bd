import { resolve } from 'node:path'
import type { Static, TObject } from 'typebox'
import type { VisionEngine } from '../../../tasks/formats/vision/served.ts'
import { ConfigError, declareSettings } from '../../variables/declaration.ts'
import { Flag, OptionalText, OptionalUrl, Text, Url } from '../../variables/kinds.ts'

declare module '../../variables/declaration.ts' {
  interface ProviderConfig {
    /** What analyses images. */
    vision: VisionConfig
  }
}

export interface VisionConfig {
  /** The first that serves an operation serves it. */
  order: readonly VisionEngine[]
  modelsDir?: string
  rekognition?: RekognitionConfig
  google?: { url: string; key: string }
  azure?: { url: string; key: string }
  comparesFaces: boolean
  tellsDemographics: boolean
}

export interface RekognitionConfig {
  region: string
  endpoint?: string
  /** Without them, those that the AWS SDK finds. */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

const variables = {
  MODELS_DIR: OptionalText({
    displayDefault: 'no models',
    description:
      'Folder of ONNX models: for the vision operations, described in ops/vision-models.md, and one that embeds texts, in ops/text-models.md.',
  }),
  VISION_PROVIDERS: Text({
    default: 'onnx,rekognition,google,azure',
    expects: 'some of onnx, rekognition, google, azure, separated by commas',
    pattern: '^\\s*(onnx|rekognition|google|azure)(\\s*,\\s*(onnx|rekognition|google|azure))*\\s*$',
    description:
      'Who serves a vision operation: the first of these that is configured and offers it; `onnx` is the models of MODELS_DIR.',
  }),
  REKOGNITION_REGION: OptionalText({
    displayDefault: 'no Rekognition',
    description: 'Region in which Amazon Rekognition is called.',
  }),
  REKOGNITION_ACCESS_KEY_ID: OptionalText({
    displayDefault: 'the AWS chain',
    description: 'Access key for Rekognition; only workers get it.',
  }),
  REKOGNITION_SECRET_ACCESS_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'the AWS chain',
    description: 'Secret of that access key; only workers get it.',
  }),
  REKOGNITION_URL: OptionalUrl({
    displayDefault: "Amazon's own",
    description: 'Another server with the same API as Rekognition.',
  }),
  GOOGLE_VISION_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'no Cloud Vision',
    description: 'API key of Google Cloud Vision; only workers get it.',
  }),
  GOOGLE_VISION_URL: Url({ default: 'https://vision.googleapis.com', description: 'Address of Cloud Vision.' }),
  AZURE_VISION_URL: OptionalUrl({
    displayDefault: 'no Azure',
    description: 'Endpoint of an Azure AI resource with Vision, Face and Content Safety.',
  }),
  AZURE_VISION_KEY: OptionalText({
    isSecret: true,
    displayDefault: 'none',
    description: 'Key of that resource; only workers get it.',
  }),
  VISION_COMPARE_FACES: Flag(true, 'Offers vision/compare-faces, which the law of some places restricts.'),
  VISION_DEMOGRAPHICS: Flag(false, 'Lets vision/detect-faces tell estimated age and gender, where an engine does.'),
}

type Values = Static<TObject<typeof variables>>

export default declareSettings({
  title: 'Vision',
  variables,
  secretsOf: {
    worker: ['REKOGNITION_ACCESS_KEY_ID', 'REKOGNITION_SECRET_ACCESS_KEY', 'GOOGLE_VISION_KEY', 'AZURE_VISION_KEY'],
  },
  read: values => ({ vision: readVisionConfig(values) }),
})

function readVisionConfig(values: Values): VisionConfig {
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

function readRekognition(values: Values): VisionConfig['rekognition'] {
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
