import { expect, test } from 'vitest'
import { suppressOverlaps, toFractions } from '../../../tasks/formats/vision/boxes.ts'
import { decodeBoxList } from '../../../tasks/formats/vision/decode/box-list.ts'
import { decodeClassification } from '../../../tasks/formats/vision/decode/classification.ts'
import { decodeYolo } from '../../../tasks/formats/vision/decode/yolo.ts'
import { computeSimilarity, cropFace } from '../../../tasks/formats/vision/face-crop.ts'
import { buildInputTensor } from '../../../tasks/formats/vision/input-tensor.ts'
import { parseManifest } from '../../../tasks/formats/vision/manifest.ts'

const INPUT = { width: 10, height: 10 }
const complete = async (manifest: object) =>
  parseManifest(JSON.stringify({ input: INPUT, labels: ['a', 'b'], ...manifest }), async () => '')
const decoded = async (output: object) => (await complete({ serves: 'detect-labels', output })).output as never
const tensor = (name: string, dims: number[], data: number[]) => ({ name, dims, data })

test('reads boxes of YOLO in columns and in rows, with objectness and landmarks', async () => {
  const columns = tensor('out', [1, 6, 2], [5, 5, 5, 5, 4, 4, 2, 2, 0.1, 0.9, 0.8, 0.2])
  expect(decodeYolo([columns], await decoded({ kind: 'yolo' }), ['a', 'b'], 0.85)).toEqual([
    { label: 'a', confidence: 90, box: { x: 3, y: 4, width: 4, height: 2 }, landmarks: [] },
  ])
  const rows = tensor('out', [1, 1, 9], [5, 5, 4, 2, 0.5, 0.2, 0.8, 3, 4])
  const output = { kind: 'yolo', boxesIn: 'rows', objectness: true, landmarks: 1, landmarkValues: 2 }
  expect(decodeYolo([rows], await decoded(output), ['a', 'b'], 0.3)).toMatchObject([
    { label: 'b', confidence: 40, landmarks: [{ x: 3, y: 4 }] },
  ])
  const odd = tensor('out', [1, 6, 2], [Number.NaN, 5, 5, 5, 4, -4, 2, 2, 1, 1, 0, 0])
  expect(decodeYolo([odd], await decoded({ kind: 'yolo' }), ['a', 'b'], 0.5)).toEqual([])
  const wide = tensor('out', [1, 7, 2], Array(14).fill(0))
  await expect(async () => decodeYolo([wide], await decoded({ kind: 'yolo' }), ['a', 'b'], 0)).rejects.toThrow(
    'the output out has 7 values a box, and the manifest expects 6',
  )
})

test('reads boxes and scores of SSD, with classes or a background', async () => {
  const boxes = tensor('boxes', [1, 2, 4], [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.9, 0.9])
  const limits = { minScore: 0.5, input: INPUT }
  const named = { kind: 'ssd', boxes: 'boxes', scores: 'scores' }
  const classes = [boxes, tensor('scores', [1, 2], [0.9, 0.4]), tensor('classes', [1, 2], [2, 1])]
  const counted = await decoded({ ...named, classes: 'classes', firstClass: 1, corners: 'yxyx' })
  const [found, ...others] = decodeBoxList(classes, counted, ['a', 'b'], limits)
  expect([found!.label, found!.confidence, others]).toEqual(['b', 90, []])
  expect(Object.values(found!.box).map(value => Math.round(value))).toEqual([2, 1, 2, 2])
  const scores = tensor('scores', [1, 2, 3], [9, 0, 0, 0, 0, 9])
  const behind = await decoded({ ...named, hasBackground: true, activation: 'softmax' })
  expect(decodeBoxList([boxes, scores], behind, ['a', 'b'], limits)).toMatchObject([{ label: 'b' }])
  await expect(async () => decodeBoxList([boxes, scores], await decoded(named), ['a', 'b'], limits)).rejects.toThrow(
    '6 values, and the manifest expects 4',
  )
})

test('keeps the surest of boxes that overlap, and what is inside the image', () => {
  const detection = (label: string, confidence: number, x: number) => ({
    ...{ label, confidence, landmarks: [] },
    box: { x, y: 0, width: 10, height: 10 },
  })
  const all = [detection('a', 60, 0), detection('a', 90, 1), detection('b', 50, 0), detection('a', 40, 30)]
  expect(suppressOverlaps(all, 0.5).map(({ confidence }) => confidence)).toEqual([90, 50, 40])
  const placement = { x: 0, y: -10, width: 20, height: 40 }
  expect(toFractions({ x: 10, y: 0, width: 20, height: 10 }, placement)).toEqual({
    x: 0.5,
    y: 0.25,
    width: 0.5,
    height: 0.25,
  })
})

test('gives a model the numbers that it was trained with', async () => {
  const input = { width: 8, height: 8, channels: 'bgr', mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] }
  const manifest = await complete({ serves: 'detect-labels', input, output: { kind: 'classification' } })
  const { dims, data } = buildInputTensor(
    new Uint8Array(192).map((_, at) => [255, 0, 51][at % 3]!),
    manifest.input,
  )
  expect([dims, Math.fround(data[0]!), data[64], data[128]]).toEqual([[1, 3, 8, 8], Math.fround(-0.6), -1, 1])
  const labels = decodeClassification([tensor('out', [1, 2], [0, Math.log(3)])], manifest.output as never, ['a', 'b'])
  expect(labels).toEqual([
    { label: 'b', confidence: 75 },
    { label: 'a', confidence: 25 },
  ])
})

test('turns a face upright by its landmarks', () => {
  const side = 200
  const pixels = new Uint8Array(side * side * 3)
  const paint = (x: number, y: number) => pixels.fill(255, (y * side + x) * 3, (y * side + x) * 3 + 3)
  // The eyes are one above the other, so the face lies on its side.
  const landmarks = [
    ...[
      { x: 120, y: 60 },
      { x: 120, y: 95 },
    ],
    ...[
      { x: 100, y: 78 },
      { x: 80, y: 63 },
      { x: 80, y: 92 },
    ],
  ]
  for (const [dx, dy] of [
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
    [-1, 0],
    [0, -1],
  ] as const)
    paint(120 + dx, 60 + dy)
  const box = { x: 60, y: 40, width: 80, height: 80 }
  const crop = cropFace({ pixels, width: side, height: side }, { box, landmarks }, { width: 112, height: 112 }, 0)
  const brightest = crop.indexOf(Math.max(...crop)) / 3
  const [x, y] = [brightest % 112, Math.floor(brightest / 112)]
  expect(Math.abs(x - 38) <= 4 && Math.abs(y - 52) <= 4).toBe(true)
})

test('brings the cosines of every model to one scale', () => {
  expect(computeSimilarity([1, 0], [1, 0], 0.4)).toBe(100)
  expect(computeSimilarity([1, 0], [0.4, Math.sqrt(1 - 0.16)], 0.4)).toBe(80)
  expect(computeSimilarity([1, 0], [0, 1], 0.4)).toBe(0)
  expect(computeSimilarity([1, 0], [-1, 0], 0.4)).toBe(0)
  expect(computeSimilarity([0, 0], [1, 0], 0.4)).toBe(0)
})
