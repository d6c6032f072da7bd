import type { Size } from '../../../tasks/formats/geometry/region.ts'
import type { LabelLimits } from '../../../tasks/formats/vision/labels.ts'
import type {
  FaceComparison,
  FoundCelebrities,
  FoundFace,
  FoundLabel,
  FoundPerson,
  FoundRisk,
} from '../../../tasks/formats/vision/results.ts'
import type { VisionEngine, VisionTask } from '../../../tasks/formats/vision/served.ts'
import type { CountedCall } from '../counted-call.ts'
import type { VisionConfig } from './settings.ts'

/** What is sent to a provider: an upright JPEG without metadata. */
export interface SentImage extends Size {
  bytes: Uint8Array
}

export interface FaceDetail {
  attributes: 'none' | 'default' | 'all'
}

/**
 * What a provider offers; it serves the operations whose methods it has. The methods throw PROVIDER_UNAVAILABLE, or a
 * problem of the image.
 */
export interface VisionAdapter {
  detectLabels?(image: SentImage, limits: LabelLimits, signal: AbortSignal): Promise<FoundLabel[]>
  detectFaces?(image: SentImage, detail: FaceDetail, signal: AbortSignal): Promise<FoundFace[]>
  compareFaces?(source: SentImage, target: SentImage, signal: AbortSignal): Promise<FaceComparison>
  detectCelebrities?(image: SentImage, signal: AbortSignal): Promise<FoundCelebrities>
  detectProtection?(image: SentImage, signal: AbortSignal): Promise<FoundPerson[]>
  moderate?(image: SentImage, limits: { minConfidence: number }, signal: AbortSignal): Promise<FoundRisk[]>
}

/** The method of each operation. */
export const METHODS = {
  'detect-labels': 'detectLabels',
  'detect-faces': 'detectFaces',
  'compare-faces': 'compareFaces',
  'detect-celebrities': 'detectCelebrities',
  'detect-ppe': 'detectProtection',
  moderate: 'moderate',
} as const satisfies Record<VisionTask, keyof VisionAdapter>

export interface VisionProvider extends VisionAdapter {
  name: Exclude<VisionEngine, 'onnx'>
}

export interface VisionEngines
  extends Pick<VisionConfig, 'order' | 'modelsDir' | 'comparesFaces' | 'tellsDemographics'> {
  providers: readonly VisionProvider[]
  onCall?(call: CountedCall): void
}
