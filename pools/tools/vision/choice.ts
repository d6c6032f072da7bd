import { Problem } from '#kit'
import { METHODS, type VisionEngines, type VisionProvider } from '../../../ops/providers/vision/contract.ts'
import { isModelTask, listEngines, type VisionEngine, type VisionTask } from '../../../tasks/formats/vision/served.ts'
import { findModel, type InstalledModel } from './models.ts'

/** What serves an operation here. */
export type Choice =
  | { engine: Exclude<VisionEngine, 'onnx'>; provider: VisionProvider }
  | { engine: 'onnx'; model: InstalledModel; faces?: InstalledModel }

const NONE: VisionEngines = { order: [], providers: [], comparesFaces: true, tellsDemographics: false }

/**
 * The first engine in the operator's order that serves an operation. A model that is there but does not work is not
 * passed over, because images would then go to a provider unasked. Throws PROVIDER_NOT_CONFIGURED.
 */
export async function chooseEngine(engines: VisionEngines = NONE, task: VisionTask): Promise<Choice> {
  if (task === 'compare-faces' && !engines.comparesFaces) throw notConfigured(task, 'set VISION_COMPARE_FACES=true')
  for (const engine of engines.order) {
    if (engine === 'onnx') {
      const found = await chooseModel(engines.modelsDir, task)
      if (found) return found
      continue
    }
    const provider = engines.providers.find(({ name }) => name === engine)
    if (provider?.[METHODS[task]]) return { engine, provider }
  }
  throw notConfigured(task, describeLack(task))
}

async function chooseModel(folder: string | undefined, task: VisionTask): Promise<Choice | undefined> {
  if (folder === undefined || !isModelTask(task)) return undefined
  try {
    const model = await findModel(folder, task)
    if (!model || task !== 'compare-faces') return model && { engine: 'onnx', model }
    const faces = await findModel(folder, 'detect-faces')
    if (faces) return { engine: 'onnx', model, faces }
  } catch (error) {
    throw explainModelFault(task, error)
  }
  throw notConfigured(task, 'add a model that serves detect-faces to MODELS_DIR')
}

/** A model that does not work makes its operation unavailable; other errors stay what they are. */
export function explainModelFault(task: VisionTask, error: unknown): unknown {
  const { name, message } = error as Error
  return name === 'ModelFault' ? notConfigured(task, `correct the model in MODELS_DIR: ${message}`) : error
}

function notConfigured(task: VisionTask, install: string): Problem {
  return new Problem('PROVIDER_NOT_CONFIGURED', { capability: `vision.${task}`, install, adapters: listEngines(task) })
}

const WAYS: Record<VisionEngine, string> = {
  onnx: 'add a model that serves $ to MODELS_DIR',
  rekognition: 'set REKOGNITION_REGION',
  google: 'GOOGLE_VISION_KEY',
  azure: 'AZURE_VISION_URL and AZURE_VISION_KEY',
}
function describeLack(task: VisionTask): string {
  const ways = listEngines(task).map(engine => WAYS[engine])
  return ways.join(', or ').replace('$', task)
}
