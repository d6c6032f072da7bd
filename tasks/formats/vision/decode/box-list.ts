import type { Point, Region, Size } from '../../geometry/region.ts'
import { type Detection, roundConfidence } from '../boxes.ts'
import type { BoxListOutput } from '../manifest.ts'
import { ModelFault } from '../model-fault.ts'
import { activate, findTensor, readMatrix, type Tensor } from './tensor.ts'

type Four = readonly [number, number, number, number]

/** How four numbers become a box, before they are scaled. */
const CORNERS: Record<BoxListOutput['corners'], (values: Four) => Region> = {
  xyxy: ([left, top, right, bottom]) => ({ x: left, y: top, width: right - left, height: bottom - top }),
  yxyx: ([top, left, bottom, right]) => ({ x: left, y: top, width: right - left, height: bottom - top }),
  xywh: ([x, y, width, height]) => ({ x, y, width, height }),
  cxcywh: ([x, y, width, height]) => ({ x: x - width / 2, y: y - height / 2, width, height }),
}

/** Boxes and scores in outputs of their own, as SSD and its relatives have them. */
export function decodeBoxList(
  tensors: readonly Tensor[],
  output: BoxListOutput,
  labels: readonly string[],
  { minScore, input }: { minScore: number; input: Size },
): Detection[] {
  const boxes = findTensor(tensors, output.boxes)
  const [count, values] = readMatrix(boxes)
  if (values !== CORNERS_LENGTH) throw new ModelFault(`the output ${boxes.name} has ${values} values a box, not 4`)
  const scale = output.units === 'fractions' ? input : { width: 1, height: 1 }
  const readScore = createScoreReader(tensors, output, labels, count)
  const points = output.landmarks === undefined ? undefined : findTensor(tensors, output.landmarks)
  const found: Detection[] = []
  for (let index = 0; index < count; index++) {
    const best = readScore(index)
    if (!best || !(best.score > minScore)) continue
    const four = [0, 1, 2, 3].map(offset => Number(boxes.data[index * 4 + offset])) as unknown as Four
    const raw = CORNERS[output.corners](four)
    if (!(raw.width > 0 && raw.height > 0 && four.every(Number.isFinite))) continue
    const box = {
      x: raw.x * scale.width,
      y: raw.y * scale.height,
      width: raw.width * scale.width,
      height: raw.height * scale.height,
    }
    const landmarks = points ? readPoints(points, index, count, scale) : []
    found.push({ label: best.label, confidence: roundConfidence(best.score * 100), box, landmarks })
  }
  return found
}

const CORNERS_LENGTH = 4

interface Best {
  label: string
  score: number
}

/** With an output of classes each box has one score; otherwise one for each label, after that of the background. */
function createScoreReader(
  tensors: readonly Tensor[],
  { scores: scoresName, classes: classesName, firstClass, hasBackground, activation }: BoxListOutput,
  labels: readonly string[],
  count: number,
): (index: number) => Best | undefined {
  const scores = findTensor(tensors, scoresName)
  if (classesName !== undefined) {
    const classes = findTensor(tensors, classesName)
    if (classes.data.length < count || scores.data.length < count)
      throw new ModelFault(`the outputs ${scores.name} and ${classes.name} have fewer values than there are boxes`)
    return index => {
      const label = labels[Math.round(Number(classes.data[index])) - firstClass]
      const [score = 0] = activate([Number(scores.data[index])], activation === 'sigmoid' ? 'sigmoid' : 'none')
      return label === undefined ? undefined : { label, score }
    }
  }
  const skipped = hasBackground ? 1 : 0
  const expected = count * (labels.length + skipped)
  if (scores.data.length !== expected)
    throw new ModelFault(
      `the output ${scores.name} has ${scores.data.length} values, and the manifest expects ${expected}: ${labels.length + skipped} for each of ${count} boxes`,
    )
  return index => {
    const start = index * (labels.length + skipped)
    const values = Array.from({ length: labels.length + skipped }, (_, at) => Number(scores.data[start + at]))
    const shares = activate(values, activation).slice(skipped)
    const best = shares.reduce((highest, share, at) => (share > shares[highest]! ? at : highest), 0)
    return { label: labels[best]!, score: shares[best]! }
  }
}

function readPoints({ name, data }: Tensor, index: number, count: number, scale: Size): Point[] {
  const values = data.length / count
  if (!Number.isInteger(values) || values % 2 !== 0)
    throw new ModelFault(`the output ${name} has ${data.length} values, which are no points of ${count} boxes`)
  return Array.from({ length: values / 2 }, (_, point) => ({
    x: Number(data[index * values + point * 2]) * scale.width,
    y: Number(data[index * values + point * 2 + 1]) * scale.height,
  }))
}
