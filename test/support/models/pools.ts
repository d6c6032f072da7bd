import { chmod } from 'node:fs/promises'
import type { VisionEngines } from '../../../ops/providers/vision/contract.ts'
import { freshFolder } from '../machine/folder.ts'
import { testPools } from '../pools/open.ts'
import { type TestModel, writeModels } from './tiny.ts'

const ENGINES: VisionEngines = { order: ['onnx'], providers: [], comparesFaces: true, tellsDemographics: false }

/** Pools with a folder of models. */
export async function openModelPools(models: Readonly<Record<string, TestModel>>) {
  const folder = await freshFolder()
  await chmod(folder.path, 0o755)
  await writeModels(folder.path, models)
  const pools = await testPools({ vision: { ...ENGINES, modelsDir: folder.path } })
  return {
    pools,
    folder: folder.path,
    [Symbol.asyncDispose]: async () => {
      await pools[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}
