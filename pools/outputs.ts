import { mapFiles, type Outcome, type OutputFile } from '#kit'
import type { NamedOperation } from '../tasks/index.ts'
import type { PlainFile } from './file-readers.ts'
import type { JobContext } from './job-context.ts'
import { checkOutputFile } from './programs/run.ts'

/**
 * Checks every file that an operation returns by path before the store opens it. An input that is returned as it is may have
 * other links, because it may have been linked into the folder.
 */
export async function checkOutputs(
  context: JobContext,
  operation: NamedOperation,
  input: unknown,
  { result }: Outcome<unknown>,
): Promise<void> {
  const files = Object.values(result as object).flat() as (OutputFile | undefined)[]
  const paths = files.flatMap(file => (typeof file === 'object' && file?.path ? [file.path] : []))
  if (paths.length === 0) return
  const inputs = await listInputPaths(operation, input)
  for (const path of paths) await checkOutputFile(context, path, 'operation', { mayBeLinked: inputs.has(path) })
}

async function listInputPaths({ input: schema }: NamedOperation, input: unknown): Promise<Set<string>> {
  const paths = new Set<string>()
  await mapFiles(schema, input, file => {
    paths.add((file as PlainFile).path)
    return file
  })
  return paths
}
