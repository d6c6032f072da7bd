import { roundConfidence } from '../boxes.ts'
import type { ClassificationOutput } from '../manifest.ts'
import { ModelFault } from '../model-fault.ts'
import { activate, findTensor, type Tensor } from './tensor.ts'

/** One probability for each label, the highest first. */
export function decodeClassification(
  tensors: readonly Tensor[],
  { tensor, activation }: ClassificationOutput,
  labels: readonly string[],
): { label: string; confidence: number }[] {
  const { name, data } = findTensor(tensors, tensor)
  if (data.length !== labels.length)
    throw new ModelFault(`the output ${name} has ${data.length} values, and the manifest ${labels.length} labels`)
  const scores = activate(Array.from(data, Number), activation)
  return labels
    .map((label, index) => ({ label, confidence: roundConfidence(scores[index]! * 100) }))
    .filter(({ confidence }) => Number.isFinite(confidence))
    .sort((a, b) => b.confidence - a.confidence)
}
