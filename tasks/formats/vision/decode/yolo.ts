import type { Point } from '../../geometry/region.ts'
import { type Detection, roundConfidence } from '../boxes.ts'
import type { YoloOutput } from '../manifest.ts'
import { ModelFault } from '../model-fault.ts'
import { findTensor, readMatrix, sigmoid, type Tensor } from './tensor.ts'

const CENTRE_AND_SIZE = 4

/**
 * One output with everything of a box in a row: its centre and size in pixels of the input, the objectness of the older
 * versions, a score for each label, and the landmarks. Newer versions have a box in each column instead.
 */
export function decodeYolo(
  tensors: readonly Tensor[],
  output: YoloOutput,
  labels: readonly string[],
  minScore: number,
): Detection[] {
  const { tensor, boxesIn, objectness, activation, landmarks, landmarkValues } = output
  const { name, dims, data } = findTensor(tensors, tensor)
  const [rows, columns] = readMatrix({ name, dims, data })
  const [boxes, values] = boxesIn === 'columns' ? [columns, rows] : [rows, columns]
  const firstScore = CENTRE_AND_SIZE + (objectness ? 1 : 0)
  const firstLandmark = firstScore + labels.length
  const expected = firstLandmark + landmarks * landmarkValues
  if (values !== expected)
    throw new ModelFault(
      `the output ${name} has ${values} values a box, and the manifest expects ${expected}: ${firstScore} and one for each of ${labels.length} labels`,
    )
  const read = (box: number, value: number) =>
    Number(boxesIn === 'columns' ? data[value * boxes + box] : data[box * values + value])
  const toScore = (value: number) => (activation === 'sigmoid' ? sigmoid(value) : value)

  function findBest(box: number): { label: string; score: number } | undefined {
    const sureness = objectness ? toScore(read(box, CENTRE_AND_SIZE)) : 1
    const scores = labels.map((_, index) => sureness * toScore(read(box, firstScore + index)))
    const best = scores.reduce((highest, score, index) => (score > scores[highest]! ? index : highest), 0)
    return scores[best]! > minScore ? { label: labels[best]!, score: scores[best]! } : undefined
  }

  function readLandmark(box: number, index: number): Point {
    const at = firstLandmark + index * landmarkValues
    return { x: read(box, at), y: read(box, at + 1) }
  }

  return Array.from({ length: boxes }, (_, box): Detection | undefined => {
    const best = findBest(box)
    if (!best) return undefined
    const [x, y, width, height] = [0, 1, 2, 3].map(index => read(box, index)) as [number, number, number, number]
    if (!(width > 0 && height > 0 && Number.isFinite(x + y + width + height))) return undefined
    return {
      label: best.label,
      confidence: roundConfidence(best.score * 100),
      box: { x: x - width / 2, y: y - height / 2, width, height },
      landmarks: Array.from({ length: landmarks }, (_, index) => readLandmark(box, index)),
    }
  }).filter(found => found !== undefined)
}
