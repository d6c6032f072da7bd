import { join } from 'node:path'
import { findMarkedValues, mapFiles, OUTPUT_RULE, type Outcome, type OutputFile } from '#kit'
import type { NamedOperation } from '../tasks/index.ts'
import type { PlainFile } from './file-readers.ts'
import type { JobContext } from './job-context.ts'
import { checkOutputFile, linkOrCopy } from './programs/run.ts'

/**
 * Checks every file that an operation returns by path before the store takes it. An input that is returned as it is may lie
 * where the caller's file is stored, so a link to it is returned instead.
 */
export async function checkOutputs(
  context: JobContext,
  operation: NamedOperation,
  input: unknown,
  { result }: Outcome<unknown>,
): Promise<void> {
  const outputs = findMarkedValues(OUTPUT_RULE, operation.output, result).map(({ value }) => value as OutputFile)
  const files = outputs.filter((output): output is OutputFile & { path: string } => output.path !== undefined)
  if (files.length === 0) return
  const inputs = await listInputPaths(operation, input)
  for (const [index, file] of files.entries()) {
    if (inputs.has(file.path)) file.path = await linkInput(context, file.path, `returned-${index}`)
    else await checkOutputFile(context, file.path, 'operation')
  }
}

async function linkInput(context: JobContext, path: string, name: string): Promise<string> {
  const link = join(context.folder, name)
  await linkOrCopy(path, link)
  return link
}

async function listInputPaths({ input: schema }: NamedOperation, input: unknown): Promise<Set<string>> {
  const paths = new Set<string>()
  await mapFiles(schema, input, file => {
    paths.add((file as PlainFile).path)
    return file
  })
  return paths
}
