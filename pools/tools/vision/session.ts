import type { InferenceSession } from 'onnxruntime-node'
import type { Tensor } from '../../../tasks/formats/vision/decode/tensor.ts'
import type { ModelInput } from '../../../tasks/formats/vision/manifest.ts'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'

// Decision 0154: run each ONNX model in a process of its own.

export type ModelOutputs = readonly Tensor[]

/** Several models at once with one thread each use the processors better than one with several threads. */
export const OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 4,
}

/** Checks that a model takes what its manifest describes. Dimensions that the model leaves open fit any. */
export function checkInput({ inputNames, inputMetadata }: InferenceSession, input: ModelInput): void {
  const [metadata] = inputMetadata
  if (inputNames.length !== 1 || !metadata?.isTensor)
    throw new ModelFault(`the model has the inputs ${inputNames.join(', ')}; it must have one`)
  const { width, height, layout, channels, type } = input
  const planes = channels === 'grey' ? 1 : 3
  const expected = layout === 'nchw' ? [1, planes, height, width] : [1, height, width, planes]
  const { shape } = metadata
  const isFitting =
    shape.length === expected.length &&
    shape.every((size, at) => typeof size !== 'number' || size <= 0 || size === expected[at])
  if (!isFitting)
    throw new ModelFault(
      `the model takes ${shape.join(' x ')} values, and the manifest describes ${expected.join(' x ')}`,
    )
  if (metadata.type !== type)
    throw new ModelFault(`the model takes ${metadata.type} values, and the manifest describes ${type}`)
}
