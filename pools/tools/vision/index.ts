import { listEngines, type VisionTask } from '../../../tasks/formats/vision/served.ts'
import type { HostContext } from '../../host-context.ts'

const load = () => import('./tool.ts')

/** Each vision operation is a tool of its own, because each can have another engine, or none. */
function entry(task: VisionTask) {
  const describe = async (context: HostContext) => (await load()).describeEngine(context, task)
  return {
    from: { version: async (context: HostContext) => (await describe(context)).version },
    servedBy: async (context: HostContext) => (await describe(context)).servedBy,
    install: 'npm install',
    adapters: listEngines(task),
  }
}

export const VISION_TOOLS = {
  visionLabels: { load: async () => (await load()).labels, ...entry('detect-labels') },
  visionFaces: { load: async () => (await load()).faces, ...entry('detect-faces') },
  visionFaceMatch: { load: async () => (await load()).faceMatch, ...entry('compare-faces') },
  visionCelebrities: { load: async () => (await load()).celebrities, ...entry('detect-celebrities') },
  visionProtection: { load: async () => (await load()).protection, ...entry('detect-ppe') },
  visionModeration: { load: async () => (await load()).moderation, ...entry('moderate') },
} as const
