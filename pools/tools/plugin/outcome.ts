import { type TSchema, Type } from 'typebox'
import { Errors } from 'typebox/schema'
import { fieldEntries, findMarkedValues, OUTPUT_RULE, type OutputFile, Problem, type SchemaNode } from '#kit'
import type { PluginDeclaration } from '../../../tasks/engines/plugin/declaration.ts'
import type { HostContext } from '../../host-context.ts'
import { ToolCrashed } from '../../tool-crashed.ts'

export function openCode({ plugins }: HostContext, version: string): Promise<string> {
  if (!plugins) throw new Error('plugins run in a worker only')
  return plugins.open(version)
}

/** Compares a result with the declaration, so that callers get what the documents say. */
export function checkResult({ output }: PluginDeclaration, result: unknown): Record<string, unknown> {
  const schema = withoutFiles(output)
  const [isValid, [first]] = Errors(schema, result)
  if (!isValid) {
    const { instancePath, message } = first!
    throw new Error(`the result does not fit its schema: ${instancePath || 'it'} ${message}`)
  }
  const fields = result as Record<string, unknown>
  const files = findMarkedValues(OUTPUT_RULE, output, result).map(({ value, mark }) => ({
    file: value as OutputFile,
    types: (mark as { contentTypes: string[] }).contentTypes,
  }))
  const wrong = files.find(({ file, types }) => !types.includes('*/*') && !types.includes(file.contentType))
  if (wrong) throw new Error(`an output is ${wrong.file.contentType}, which is not declared`)
  return fields
}

/** Its files are described later, by what is stored. */
function withoutFiles(output: TSchema): TSchema {
  const { required = [] } = output as SchemaNode
  const fields = fieldEntries(output).map(([name, field]) => [name, OUTPUT_RULE in field ? Type.Unknown() : field])
  return { type: 'object', properties: Object.fromEntries(fields), required } as unknown as TSchema
}

/** What a run that threw means for its caller. The operator is told more. */
export function describeFailure(
  { plugins, jobId, signal }: HostContext,
  { version, name }: { version: string; name: string },
  error: unknown,
): unknown {
  if (error instanceof Problem || signal.aborted) return error
  const isFault = error instanceof ToolCrashed || (error instanceof Error && !('errno' in error))
  if (!isFault) return error
  plugins?.report({ version, jobId, name, error: error.message })
  return new Problem('PLUGIN_FAILED')
}
