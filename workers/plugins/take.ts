import { Problem } from '#kit'
import { packCode } from '../../ops/plugins/code.ts'
import { describePlugin, explainRefusal } from '../../ops/plugins/describe.ts'
import { readSource } from '../../ops/plugins/folder.ts'
import { putPlugin, refusePlugin } from '../../sql/plugin/files.ts'
import type { WorkerContext } from '../context.ts'

interface Taken {
  folder: string
  file: string
  signal: AbortSignal
}

/** Puts the content of a file into service, or notes in one sentence why not. What is in service stays until then. */
export async function takePlugin(context: WorkerContext, { folder, file, signal }: Taken): Promise<void> {
  const { db, log, added, pools } = context
  let version = ''
  try {
    const source = await readSource(folder, file)
    version = source.version
    const row = added.rows.find(each => each.file === file)
    if (row?.version === version && row.fault === null) return
    const declaration = await describePlugin(source, { pools, root: added.root, signal })
    const { name, author } = declaration
    const owner = author && { author: author.account ?? author.wallet, percent: author.percent }
    const plugin = { file, name, version, declaration, ...owner }
    if (await putPlugin(db, plugin, await packCode(source.files)))
      log.info({ file, name, version }, 'plugin in service')
  } catch (error) {
    if (signal.aborted || !(error instanceof Problem)) throw error
    const fault = explainRefusal(file, error)
    if (await refusePlugin(db, { file, version, fault })) log.warn({ file, fault }, 'plugin refused')
  }
}
