import { type InputFile, Problem } from '#kit'
import type { SentImage, VisionProvider } from '../../../ops/providers/vision/contract.ts'
import type { Size } from '../../../tasks/formats/geometry/region.ts'
import { groupLabels, type LabelLimits } from '../../../tasks/formats/vision/labels.ts'
import type { ModelManifest } from '../../../tasks/formats/vision/manifest.ts'
import { assignEquipment } from '../../../tasks/formats/vision/protection.ts'
import type {
  FaceComparison,
  FoundCelebrities,
  FoundFace,
  FoundLabel,
  FoundPerson,
  FoundRisk,
} from '../../../tasks/formats/vision/results.ts'
import type { VisionTask } from '../../../tasks/formats/vision/served.ts'
import type { HostContext } from '../../host-context.ts'
import { type Choice, chooseEngine } from './choice.ts'
import { prepareSentImage } from './image.ts'
import { checkModel, compareByModels, isFace, type ModelFindings, runModel } from './run-model.ts'

/** What was found, in which image, and by which engine. */
export interface Analysis<Result> {
  found: Result
  image: Size
  engine: string
  model?: string
  modelSha256?: string
}

interface Arms<Result> {
  minConfidence: number
  byProvider(provider: VisionProvider, image: SentImage, signal: AbortSignal): Promise<Result>
  /** Absent where no model can serve the operation. */
  byModel?(findings: ModelFindings, manifest: ModelManifest): Result
}

/** Lets the engine that the operator chose analyse an image. */
async function analyse<Result>(
  context: HostContext,
  task: VisionTask,
  file: InputFile,
  arms: Arms<Result>,
): Promise<Analysis<Result>> {
  const choice = await chooseEngine(context.vision, task)
  if (choice.engine === 'onnx') {
    const { model } = choice
    const findings = await runModel(context, task, model, file, arms.minConfidence)
    const facts = { image: findings.image, engine: 'onnx', model: model.name, modelSha256: findings.sha256 }
    return { found: arms.byModel!(findings, model.manifest), ...facts }
  }
  const { sent, original } = await prepareSentImage(context, file)
  const found = await count(context, choice, task, () => arms.byProvider(choice.provider, sent, context.signal))
  return { found, image: original, engine: choice.engine }
}

/** Tells the operator's statistics of every call that has reached a provider. */
async function count<Answer>(
  { vision }: HostContext,
  { engine }: Choice,
  task: VisionTask,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const report = (isOk: boolean) =>
    vision?.onCall?.({
      provider: engine,
      model: `vision.${task}`,
      isOk,
      inputTokens: 0,
      outputTokens: 0,
      costMicros: 0,
    })
  try {
    const answer = await work()
    report(true)
    return answer
  } catch (error) {
    report(error instanceof Problem && error.code !== 'PROVIDER_UNAVAILABLE')
    throw error
  }
}

const MAX_RISKS = 100

function listNamed({ labels: found, detections }: ModelFindings) {
  return [
    ...found.map(({ label, confidence }) => ({ name: label, confidence })),
    ...detections.map(({ label, confidence, box }) => ({ name: label, confidence, box })),
  ]
}

export const labels = {
  bind: (context: HostContext) => ({
    detect: (file: InputFile, limits: LabelLimits): Promise<Analysis<FoundLabel[]>> =>
      analyse(context, 'detect-labels', file, {
        minConfidence: limits.minConfidence,
        byProvider: (provider, image, signal) => provider.detectLabels!(image, limits, signal),
        byModel: findings => groupLabels(listNamed(findings), limits),
      }),
  }),
}

export const faces = {
  bind: (context: HostContext) => ({
    async detect(
      file: InputFile,
      { attributes, minConfidence }: { attributes: 'none' | 'default' | 'all'; minConfidence: number },
    ): Promise<Analysis<FoundFace[]>> {
      const analysis = await analyse(context, 'detect-faces', file, {
        minConfidence,
        byProvider: (provider, image, signal) => provider.detectFaces!(image, { attributes }, signal),
        byModel: ({ detections }) => readModelFaces(detections.filter(isFace), attributes),
      })
      if (context.vision?.tellsDemographics) return analysis
      for (const { attributes: traits } of analysis.found) {
        delete traits?.age
        delete traits?.gender
      }
      return analysis
    },
  }),
}

function readModelFaces(detections: ModelFindings['detections'], attributes: 'none' | 'default' | 'all'): FoundFace[] {
  if (attributes === 'all')
    throw new Problem('INVALID_PARAM', {
      field: 'attributes',
      allowed: ['none', 'default'],
      reason: 'the model that serves this call estimates no attributes',
    })
  return detections.map(({ box, confidence, landmarks }) => ({
    box,
    confidence,
    landmarks: attributes === 'none' ? [] : landmarks,
  }))
}

export const faceMatch = {
  bind: (context: HostContext) => ({
    async compare(source: InputFile, target: InputFile): Promise<Analysis<FaceComparison> & { sourceImage: Size }> {
      const task = 'compare-faces'
      const choice = await chooseEngine(context.vision, task)
      if (choice.engine === 'onnx') {
        const { model, faces: detector } = choice
        const compared = await compareByModels(context, { model, faces: detector! }, source, target)
        const { sha256: modelSha256, comparison: found, images } = compared
        const [sourceImage, image] = images.map(({ original }) => original) as [Size, Size]
        return { found, sourceImage, image, engine: 'onnx', model: model.name, modelSha256 }
      }
      const [one, other] = [await prepareSentImage(context, source), await prepareSentImage(context, target)]
      const found = await count(context, choice, task, () =>
        choice.provider.compareFaces!(one.sent, other.sent, context.signal),
      )
      return { found, sourceImage: one.original, image: other.original, engine: choice.engine }
    },
  }),
}

export const celebrities = {
  bind: (context: HostContext) => ({
    detect: (file: InputFile): Promise<Analysis<FoundCelebrities>> =>
      analyse(context, 'detect-celebrities', file, {
        minConfidence: 0,
        byProvider: (provider, image, signal) => provider.detectCelebrities!(image, signal),
      }),
  }),
}

export const protection = {
  bind: (context: HostContext) => ({
    detect: (file: InputFile, minConfidence: number): Promise<Analysis<FoundPerson[]>> =>
      analyse(context, 'detect-ppe', file, {
        minConfidence,
        byProvider: (provider, image, signal) => provider.detectProtection!(image, signal),
        byModel: ({ detections }) => assignEquipment(detections),
      }),
  }),
}

export const moderation = {
  bind: (context: HostContext) => ({
    rate: (file: InputFile, minConfidence: number): Promise<Analysis<FoundRisk[]>> =>
      analyse(context, 'moderate', file, {
        minConfidence,
        byProvider: (provider, image, signal) => provider.moderate!(image, { minConfidence }, signal),
        byModel: (findings, { categories }) =>
          groupLabels(listNamed(findings), { maxLabels: MAX_RISKS, minConfidence }).flatMap(({ name, confidence }) =>
            categories[name] ? [{ name, category: categories[name], confidence }] : [],
          ),
      }),
  }),
}

/** Who serves an operation, after its model was tried. */
export async function describeEngine(
  context: HostContext,
  task: VisionTask,
): Promise<{ version: string; servedBy: { provider: string; model?: string } }> {
  const choice = await chooseEngine(context.vision, task)
  if (choice.engine !== 'onnx') return { version: choice.engine, servedBy: { provider: choice.engine } }
  const { model, faces: detector } = choice
  if (detector) await checkModel(context, task, detector)
  const { version, sha256 } = await checkModel(context, task, model)
  const digest = sha256.slice(0, 12)
  const servedBy = { provider: 'onnx', model: model.name }
  return { version: `onnxruntime ${version}, ${model.name} ${digest}`, servedBy }
}
