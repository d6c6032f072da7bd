import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ModelManifest, parseManifest } from '../../../tasks/formats/vision/manifest.ts'
import { ModelFault } from '../../../tasks/formats/vision/model-fault.ts'
import type { ModelTask } from '../../../tasks/formats/vision/served.ts'

export interface InstalledModel {
  /** The name of its files without their endings. */
  name: string
  path: string
  manifest: ModelManifest
}

const MAX_MANIFEST_CHARS = 2 ** 20
const SERVES = /"serves"\s*:\s*"([^"]*)"/

/**
 * The model in a folder that serves an operation, from `<name>.onnx` and `<name>.json`. A manifest that cannot be read
 * matters only to the operation that it names. Throws ModelFault, which names the model.
 */
export async function findModel(folder: string, task: ModelTask): Promise<InstalledModel | undefined> {
  const names = await listManifests(folder)
  const texts = await Promise.all(
    names.map(async name => [name, await readText(join(folder, `${name}.json`))] as const),
  )
  const serving = texts.filter(([, text]) => SERVES.exec(text)?.[1] === task)
  const [first, second] = serving
  if (!first) return undefined
  if (second) throw new ModelFault(`${first[0]} and ${second[0]} both serve ${task}; remove one of them`)
  const [name, text] = first
  try {
    const manifest = await parseManifest(text, labels => readText(join(folder, labels)))
    return { name, path: join(folder, `${name}.onnx`), manifest }
  } catch (error) {
    throw explainFault(name, error)
  }
}

/** Adds the name of a model to what is wrong with it. */
export function explainFault(name: string, error: unknown): unknown {
  const { name: kind, message } = error as Error
  return kind === 'ModelFault' ? new ModelFault(`${name}: ${message}`) : error
}

async function listManifests(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names.flatMap(name => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [])).sort()
  } catch (error) {
    throw new ModelFault(`MODELS_DIR cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

async function readText(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8')
    if (text.length <= MAX_MANIFEST_CHARS) return text
  } catch (error) {
    throw new ModelFault(`${basename(path)} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  throw new ModelFault(`${basename(path)} has more than ${MAX_MANIFEST_CHARS} characters`)
}
