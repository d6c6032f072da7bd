import { newId, type Problem } from '#kit'
import type { Pools } from '../../pools/index.ts'
import { invalid, type PluginDeclaration } from '../../tasks/engines/plugin/declaration.ts'
import { writeCode } from './code.ts'
import type { PluginSource } from './folder.ts'
import { explainTakenName, toOperation } from './operations.ts'

const LIMIT_SECONDS = 15

interface Place {
  pools: Pick<Pools, 'openFolder' | 'closeFolder' | 'useTools'>
  /** The folder of the code of all versions. */
  root: string
  signal: AbortSignal
}

/** Has a confined process read what the code of a plugin declares, and checks it. Throws PLUGIN_INVALID. */
export async function describePlugin(
  { version, files }: PluginSource,
  { pools, root, signal }: Place,
): Promise<PluginDeclaration> {
  const code = await writeCode(root, version, files)
  const jobId = newId()
  const folder = await pools.openFolder(jobId)
  try {
    const declaration = await pools.useTools(
      { jobId, folder, signal, limitSeconds: LIMIT_SECONDS },
      ['pluginModule'],
      ({ pluginModule }) => pluginModule.describe(code),
    )
    const taken = explainTakenName(declaration.name)
    if (taken !== undefined) throw invalid(taken)
    toOperation(version, declaration)
    return declaration
  } finally {
    await pools.closeFolder(jobId)
  }
}

/** The sentence that an operator reads of a file that is refused. */
export function explainRefusal(file: string, { code, hints, message }: Problem): string {
  const { reason } = hints as { reason?: string }
  if (code === 'PLUGIN_INVALID') return `${file}: ${reason}`
  if (code === 'TIME_LIMIT_EXCEEDED') return `${file}: it does not end loading within ${LIMIT_SECONDS} seconds`
  return `${file}: ${message}`
}
