import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mapFiles, type Outcome, Problem, replaceAt } from '#kit'
import { invalid, type PluginDeclaration } from '../../../tasks/engines/plugin/declaration.ts'
import { toPlain } from '../../file-readers.ts'
import type { HostContext } from '../../host-context.ts'
import type { LentFile, ModuleOutcome } from './engine.ts'
import { checkResult, describeFailure, openCode } from './outcome.ts'

// Decision 0551: run plugins where engines and programs are run.

const ENTRIES = ['plugin.mts', 'plugin.mjs', 'plugin.json']
const DESCRIBE_SECONDS = 10

/** Runs modules of operators: in a confined process for each version, which is kept for a while. */
export function bind(context: HostContext) {
  return {
    /** Reads the declaration of the code in a folder, also that of a program. Throws PLUGIN_INVALID. */
    describe: (folder: string) => describe(context, folder),
    run: (version: string, declaration: PluginDeclaration, input: unknown) =>
      runModule(context, version, declaration, input),
  }
}

/** What it does while it is loaded is its fault, and no crash of ours. */
async function describe(context: HostContext, folder: string): Promise<PluginDeclaration> {
  const limits = { group: 'describe', maxRunSeconds: DESCRIBE_SECONDS }
  try {
    return await context.engines.call(context, 'plugin', 'describe', [], { path: findEntry(folder) }, limits)
  } catch (error) {
    if (error instanceof Problem || context.signal.aborted) throw error
    throw invalid(`it ends the process that loads it: ${(error as Error).message}`)
  }
}

function findEntry(folder: string): string {
  return ENTRIES.map(name => join(folder, name)).find(path => existsSync(path)) ?? join(folder, ENTRIES[0]!)
}

async function runModule(
  context: HostContext,
  version: string,
  declaration: PluginDeclaration,
  input: unknown,
): Promise<Outcome<unknown>> {
  const path = findEntry(await openCode(context, version))
  const files: string[] = []
  const lent = await mapFiles(declaration.input, input, file => {
    const { path: from, ...plain } = toPlain(file as never)
    files.push(from)
    return { ...plain, lent: files.length - 1 } satisfies LentFile
  })
  try {
    const ran = await context.engines.call<Omit<ModuleOutcome, 'spilledFiles'> & { paths: string[] }>(
      ...([context, 'plugin', 'run', files, { path, input: lent }, { group: version }] as const),
    )
    const { places, paths, units, warnings } = ran
    const result = places.reduce<unknown>(
      (value, { path: at, contentType, name }, index) =>
        replaceAt(value, at, { path: paths[index]!, contentType, name }),
      ran.result,
    )
    return { result: checkResult(declaration, result), units, warnings }
  } catch (error) {
    throw describeFailure(context, { version, name: declaration.name }, error)
  }
}
