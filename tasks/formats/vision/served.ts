export type VisionEngine = 'onnx' | 'rekognition' | 'google' | 'azure'

/** Those that a model can serve. */
export const MODEL_TASKS = ['detect-labels', 'detect-faces', 'compare-faces', 'detect-ppe', 'moderate'] as const
export type ModelTask = (typeof MODEL_TASKS)[number]

/** The vision operations. */
export type VisionTask = ModelTask | 'detect-celebrities'

export function isModelTask(task: VisionTask): task is ModelTask {
  return (MODEL_TASKS as readonly string[]).includes(task)
}

/** Providers by what they offer: Rekognition serves all operations, the others these. */
const SERVED_BY_ALL: readonly VisionTask[] = ['detect-labels', 'detect-faces', 'moderate']

/** The engines that can serve an operation; `onnx` is the operator's own models. */
export function listEngines(task: VisionTask): VisionEngine[] {
  const others: VisionEngine[] = SERVED_BY_ALL.includes(task) ? ['google', 'azure'] : []
  return [...(isModelTask(task) ? ['onnx' as const] : []), 'rekognition', ...others]
}
