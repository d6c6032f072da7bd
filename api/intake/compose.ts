import type { ApiContext } from '../context.ts'
import { completePipeline, type PipelineFields } from '../pipelines/complete.ts'
import { billableOperation } from './billable.ts'
import type { CallFlags } from './body/flags.ts'
import type { ReceivedCall } from './call.ts'

/** A call that runs other operations gets their files, tools and prices; it is refused if one of them cannot run. */
export async function composeCall(
  context: ApiContext,
  call: ReceivedCall,
  flags: CallFlags,
): Promise<{ call: ReceivedCall; flags: CallFlags }> {
  const { execution } = call.billable
  const { operation } = execution.kind === 'operation' ? execution : {}
  if (!operation?.composition) return { call, flags }
  const fields = await completePipeline(context, call.caller, flags.fields as PipelineFields)
  const composed = operation.composition.forCall(fields)
  const billable = billableOperation({ ...operation, ...composed })
  context.availability.require(billable)
  return { call: { ...call, billable }, flags: { ...flags, fields } }
}
