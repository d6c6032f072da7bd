import { openAzure } from './azure.ts'
import type { VisionEngines, VisionProvider } from './contract.ts'
import { openGoogle } from './google.ts'
import { openRekognition } from './rekognition.ts'
import type { VisionConfig } from './settings.ts'

type Options = Pick<VisionEngines, 'onCall'>

/** Opens the providers that are configured. No SDK is loaded before its first call. */
export function openVision(
  { order, modelsDir, comparesFaces, tellsDemographics, ...config }: VisionConfig,
  { onCall }: Options = {},
): VisionEngines {
  const { rekognition, google, azure } = config
  const providers: VisionProvider[] = [
    ...(rekognition ? [{ name: 'rekognition' as const, ...openRekognition(rekognition) }] : []),
    ...(google ? [{ name: 'google' as const, ...openGoogle(google) }] : []),
    ...(azure ? [{ name: 'azure' as const, ...openAzure(azure) }] : []),
  ]
  return { order, modelsDir, comparesFaces, tellsDemographics, providers, onCall }
}
