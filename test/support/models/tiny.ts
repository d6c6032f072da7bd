import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildGraph, buildModel } from './onnx.ts'

const IMAGE = 'image'

/** The mean of each channel: how red, green and blue an image is. */
export function buildColorModel(side: number): Buffer {
  return buildModel({
    inputs: [{ name: IMAGE, shape: [1, 3, side, side] }],
    outputs: [{ name: 'means', shape: [1, 3, 1, 1] }],
    nodes: [{ op: 'GlobalAveragePool', inputs: [IMAGE], outputs: ['means'] }],
  })
}

const CELL = 8

/**
 * Finds coloured spots: an image of 64 pixels has 64 cells, and the three scores of each are how red, green and blue it
 * is. The box of a cell is three cells wide.
 */
export function buildSpotModel(side = 64): Buffer {
  const cells = side / CELL
  const shape = [1, cells * cells, 3]
  return buildModel({
    inputs: [{ name: IMAGE, shape: [1, 3, side, side] }],
    outputs: [
      { name: 'boxes', shape: [1, cells * cells, 4] },
      { name: 'scores', shape },
    ],
    constants: [
      { name: 'places', shape: [1, cells * cells, 4], values: listBoxes(cells) },
      { name: 'shape', shape: [3], values: shape, type: 'int64' },
    ],
    nodes: [
      {
        op: 'AveragePool',
        inputs: [IMAGE],
        outputs: ['means'],
        ints: { kernel_shape: [CELL, CELL], strides: [CELL, CELL] },
      },
      { op: 'Transpose', inputs: ['means'], outputs: ['last'], ints: { perm: [0, 2, 3, 1] } },
      { op: 'Reshape', inputs: ['last', 'shape'], outputs: ['scores'] },
      { op: 'Identity', inputs: ['places'], outputs: ['boxes'] },
    ],
  })
}

/** Corners as fractions of the image. */
function listBoxes(cells: number): number[] {
  return Array.from({ length: cells * cells }, (_, cell) => {
    const [x, y] = [cell % cells, Math.floor(cell / cells)]
    return [x - 1, y - 1, x + 2, y + 2].map(edge => edge / cells)
  }).flat()
}

/** Runs until it is killed. */
export function buildEndlessModel(side: number): Buffer {
  const shape = [1, 3, side, side]
  const body = buildGraph({
    inputs: [
      { name: 'turn', shape: [], type: 'int64' },
      { name: 'goes', shape: [], type: 'bool' },
      { name: 'before', shape },
    ],
    outputs: [
      { name: 'on', shape: [], type: 'bool' },
      { name: 'after', shape },
    ],
    nodes: [
      { op: 'Identity', inputs: ['goes'], outputs: ['on'] },
      { op: 'Sin', inputs: ['before'], outputs: ['after'] },
    ],
  })
  return buildModel({
    inputs: [{ name: IMAGE, shape }],
    outputs: [{ name: 'result', shape }],
    constants: [
      { name: 'turns', shape: [], values: [Number.MAX_SAFE_INTEGER], type: 'int64' },
      { name: 'true', shape: [], values: [1], type: 'bool' },
    ],
    nodes: [{ op: 'Loop', inputs: ['turns', 'true', IMAGE], outputs: ['result'], graph: { body } }],
  })
}

export interface TestModel {
  bytes: Buffer | string
  manifest: object | string
}

/** Manifests for the models above, one for each operation. */
export const MODELS = {
  labels: {
    bytes: buildColorModel(32),
    manifest: {
      serves: 'detect-labels',
      input: { width: 32, height: 32 },
      labels: ['red', 'green', 'blue'],
      output: { kind: 'classification', activation: 'none' },
    },
  },
  faces: { bytes: buildSpotModel(), manifest: describeSpots('detect-faces', ['face', 'ball', 'sky']) },
  embedding: {
    bytes: buildColorModel(16),
    manifest: {
      serves: 'compare-faces',
      input: { width: 16, height: 16 },
      output: { kind: 'embedding', match: 0.5, margin: 0 },
    },
  },
  ppe: { bytes: buildSpotModel(), manifest: describeSpots('detect-ppe', ['person', 'head-cover', 'hand-cover']) },
  risks: {
    bytes: buildColorModel(32),
    manifest: {
      serves: 'moderate',
      input: { width: 32, height: 32 },
      labels: ['blood', 'grass', 'sea'],
      output: { kind: 'classification', activation: 'none' },
      categories: { blood: 'gore' },
    },
  },
} satisfies Record<string, TestModel>

function describeSpots(serves: string, labels: readonly string[]) {
  return {
    serves,
    input: { width: 64, height: 64, fit: 'letterbox', pad: 0 },
    labels,
    output: { kind: 'ssd', boxes: 'boxes', scores: 'scores', overlap: 0.2 },
  }
}

export async function writeModels(folder: string, models: Readonly<Record<string, TestModel>>): Promise<void> {
  for (const [name, { bytes, manifest }] of Object.entries(models)) {
    await writeFile(join(folder, `${name}.onnx`), bytes)
    await writeFile(join(folder, `${name}.json`), typeof manifest === 'string' ? manifest : JSON.stringify(manifest))
  }
}
