import type { Lane, Outcome, RunContext } from '#kit'
import type { NamedOperation } from '../tasks/index.ts'
import { bindTools } from './bind-tools.ts'
import { addFileReaders } from './file-readers.ts'
import type { HostContext } from './host-context.ts'
import { checkOutputs } from './outputs.ts'
import type { Threads } from './threads/pool.ts'

interface Work {
  operation: NamedOperation
  input: unknown
  lane: Lane
  runStep?: RunContext['runStep']
  missingTools?: readonly string[]
  isDryRun?: boolean
}

/** Runs one operation: in a thread, or here with its tools, which run elsewhere. */
export async function runOperation(context: HostContext, threads: Threads, work: Work): Promise<Outcome<unknown>> {
  const { operation, input, lane, runStep, isDryRun, missingTools } = work
  if (lane === 'thread') {
    const request = { kind: 'operation', operation: operation.name, input } as const
    return (await threads.run(context, request, context.onProgress)) as Outcome<unknown>
  }
  const tools = await bindTools(operation.uses, context, threads, missingTools)
  const { out, signal, onProgress: progress = () => {} } = context
  const runContext = { ...tools, out, signal, progress, now: () => new Date(), runStep } as never
  const readable = await addFileReaders(operation.input, input)
  if (isDryRun) return { result: await operation.dryRun!.run(readable, runContext) }
  const outcome = await operation.run(readable, runContext)
  await checkOutputs(context, operation, input, outcome)
  return outcome
}
