import { Flag, OptionalText, OptionalUrl, Text, Url } from './kinds.ts'

export const VISION = {
  MODELS_DIR: OptionalText({
    displayDefault: 'no models',
    description: 'Folder of ONNX models for the vision operations; ops/vision-models.md describes what is in it.',
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

/** Secrets that only the process that calls the providers gets. */
export const VISION_SECRETS = [
  'REKOGNITION_ACCESS_KEY_ID',
  'REKOGNITION_SECRET_ACCESS_KEY',
  'GOOGLE_VISION_KEY',
  'AZURE_VISION_KEY',
] as const
