import { type InputFile, Problem } from '#kit'
import type { Region } from '../../../tasks/formats/geometry/region.ts'
import { type Detection, toFraction, toFractions } from '../../../tasks/formats/vision/boxes.ts'
import { computeSimilarity } from '../../../tasks/formats/vision/face-crop.ts'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'
import type { FaceComparison, Landmark } from '../../../tasks/formats/vision/results.ts'
import type { VisionTask } from '../../../tasks/formats/vision/served.ts'
import type { HostContext } from '../../host-context.ts'
import { ToolCrashed, ToolLost } from '../../tool-crashed.ts'
import { explainModelFault } from './choice.ts'
import type { Face, Findings } from './engine.ts'
import { prepareFacePixels, prepareModelPixels, type ReadyPixels } from './image.ts'
import { explainFault, type InstalledModel } from './models.ts'

/** What a model has found, with its boxes in fractions of the image as displayed. */
export interface ModelFindings {
  sha256: string
  image: { width: number; height: number }
  labels: { label: string; confidence: number }[]
  detections: (Omit<Detection, 'landmarks'> & { landmarks: Landmark[] })[]
}

const ENGINE = 'vision'

/** Each model has processes of its own, so that one which crashes disturbs no other. */
async function callModel<Answer>(
  context: HostContext,
  task: VisionTask,
  { name, path, manifest }: InstalledModel,
  { method, files, args }: { method: string; files: readonly string[]; args: object },
): Promise<Answer> {
  try {
    const model = { path, manifest, ...args }
    return await context.engines.call<Answer>(context, ENGINE, method, files, model, { group: name })
  } catch (error) {
    throw explainModelFault(task, explainFault(name, error))
  }
}

/** Tries a model; a model that works already is not tried again. */
export async function checkModel(context: HostContext, task: VisionTask, model: InstalledModel) {
  try {
    const call = { method: 'check', files: [], args: {} }
    return await callModel<{ version: string; sha256: string }>(context, task, model, call)
  } catch (error) {
    if (!(error instanceof ToolCrashed) || error instanceof ToolLost) throw error
    throw explainModelFault(task, new ModelFault(`${model.name}: it ends the process that runs it`))
  }
}

/** What a model finds in an image with at least this confidence, from 0 to 100. */
export async function runModel(
  context: HostContext,
  task: VisionTask,
  model: InstalledModel,
  file: InputFile,
  minConfidence: number,
): Promise<ModelFindings> {
  const pixels = await prepareModelPixels(context, file, model.manifest.input)
  const call = { method: 'find', files: [pixels.path], args: { minScore: minConfidence / 100 } }
  const { sha256, labels = [], detections = [] } = await callModel<Findings>(context, task, model, call)
  return {
    sha256,
    image: pixels.original,
    labels,
    detections: detections.flatMap(found => placeDetection(found, pixels.placement)),
  }
}

const LANDMARKS = ['eye-left', 'eye-right', 'nose', 'mouth-left', 'mouth-right']

/** What is wholly in the padding is left out. */
function placeDetection(found: Detection, placement: Region): ModelFindings['detections'] {
  const box = toFractions(found.box, placement)
  if (box.width === 0 || box.height === 0) return []
  const isFace = found.landmarks.length === LANDMARKS.length
  const landmarks = found.landmarks.map((point, index) => ({
    type: isFace ? LANDMARKS[index]! : `point-${index + 1}`,
    ...toFraction(point, placement),
  }))
  return [{ ...found, box, landmarks }]
}

const FACE_CONFIDENCE = 50

export function isFace({ label }: { label: string }): boolean {
  return label === 'face'
}

/** Finds the faces of both images with one model and compares their embeddings by another. */
export async function compareByModels(
  context: HostContext,
  { model, faces }: { model: InstalledModel; faces: InstalledModel },
  source: InputFile,
  target: InputFile,
): Promise<{ sha256: string; images: [source: ReadyPixels, target: ReadyPixels]; comparison: FaceComparison }> {
  const task = 'compare-faces'
  const findFaces = async (file: InputFile) =>
    (await runModel(context, task, faces, file, FACE_CONFIDENCE)).detections.filter(isFace)
  const [inSource, inTarget] = [await findFaces(source), await findFaces(target)]
  const [largest] = inSource.toSorted((a, b) => b.box.width * b.box.height - a.box.width * a.box.height)
  if (!largest) throw new Problem('NO_FACE_FOUND', { which: 'source' })
  const images: [ReadyPixels, ReadyPixels] = [
    await prepareFacePixels(context, source),
    await prepareFacePixels(context, target),
  ]
  const embed = async (found: ModelFindings['detections'], image: ReadyPixels) =>
    callModel<{ sha256: string; embeddings: number[][] }>(context, task, model, {
      method: 'embed',
      files: [image.path],
      args: { image: image.input, faces: found.map(face => scaleFace(face, image)) },
    })
  const one = await embed([largest], images[0])
  const others = await embed(inTarget, images[1])
  const { output } = model.manifest
  const match = output.kind === 'embedding' ? output.match : 1
  const comparison = {
    sourceFace: { box: largest.box, confidence: largest.confidence },
    sourceFaces: inSource.length,
    faces: inTarget.map(({ box }, index) => ({
      box,
      similarity: computeSimilarity(one.embeddings[0]!, others.embeddings[index]!, match),
    })),
  }
  return { sha256: one.sha256, images, comparison }
}

function scaleFace(
  { box, landmarks }: ModelFindings['detections'][number],
  { input: { width, height } }: ReadyPixels,
): Face {
  return {
    box: { x: box.x * width, y: box.y * height, width: box.width * width, height: box.height * height },
    landmarks: landmarks.map(({ x, y }) => ({ x: x * width, y: y * height })),
  }
}
