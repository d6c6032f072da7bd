import { chmod } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HostContext } from '../../pools/host-context.ts'
import { describeTool, probeEngine } from '../../pools/tool-reports.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { MODELS, writeModels } from '../support/models/tiny.ts'
import { openTestHost } from '../support/pools/contexts.ts'

const folder = await freshFolder()
let host: Awaited<ReturnType<typeof openTestHost>>
beforeAll(async () => {
  await chmod(folder.path, 0o755)
  await writeModels(folder.path, { labels: MODELS.labels, faces: { ...MODELS.faces, bytes: 'no model' } })
  host = await openTestHost({ warmSandboxes: 0, visible: { vision: [folder.path] } })
})
afterAll(async () => {
  await host.close()
  await folder[Symbol.asyncDispose]()
})

type VisionTool = Parameters<typeof describeTool>[0]

async function report(tool: VisionTool, vision: Partial<HostContext['vision']> = {}) {
  const engines = { order: ['onnx', 'google'], providers: [], comparesFaces: true, tellsDemographics: false, ...vision }
  const context = { ...(await host.createContext()), engines: host.engines, programs: host.programs, vision: engines }
  return describeTool(tool, await probeEngine(tool, context as unknown as HostContext))
}

test('each operation is reported with the engine that serves it, or with what it lacks', async () => {
  const modelsDir = folder.path
  const google = { name: 'google' as const, detectLabels: async () => [], detectFaces: async () => [] }
  expect(await report('visionLabels', { modelsDir, providers: [google] })).toMatchObject({
    ...{ ok: true, servedBy: { provider: 'onnx', model: 'labels' } },
    version: expect.stringMatching(/^onnxruntime 1\.\d+\.\d+, labels [0-9a-f]{12}$/),
  })
  const order = ['google', 'onnx'] as const
  expect(await report('visionLabels', { modelsDir, providers: [google], order })).toMatchObject({
    ...{ ok: true, version: 'google', servedBy: { provider: 'google' } },
  })
  expect(await report('visionModeration', { modelsDir, providers: [google] })).toMatchObject({
    ...{ ok: false, adapters: ['onnx', 'rekognition', 'google', 'azure'] },
    install: expect.stringMatching(/serves moderate to MODELS_DIR, or set REKOGNITION_REGION, or GOOGLE_VISION_KEY/),
  })
  expect(await report('visionCelebrities')).toMatchObject({ ok: false, install: 'set REKOGNITION_REGION' })
})

test('images do not go to a provider because a model is sick', async () => {
  const google = { name: 'google' as const, detectFaces: async () => [] }
  expect(await report('visionFaces', { modelsDir: folder.path, providers: [google] })).toMatchObject({
    ...{ ok: false, install: expect.stringContaining('correct the model in MODELS_DIR: faces: ') },
  })
  expect(await report('visionFaces', { modelsDir: `${folder.path}/none`, providers: [google] })).toMatchObject({
    ...{ ok: false, install: expect.stringContaining('MODELS_DIR cannot be read (ENOENT)') },
  })
})
