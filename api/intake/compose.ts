import type { ApiContext } from '../context.ts'
import { billableOperation } from './billable.ts'
import type { CallFlags } from './body/flags.ts'
import type { ReceivedCall } from './call.ts'

/**
 * A call gets the tools that its body asks for; one that runs other operations gets their files, tools and prices. It is
 * refused if one of them cannot run.
 */
export async function composeCall(
  context: ApiContext,
  call: ReceivedCall,
  flags: CallFlags,
): Promise<{ call: ReceivedCall; flags: CallFlags }> {
  const { execution } = call.billable
  const { operation } = execution.kind === 'operation' ? execution : {}
  if (!operation?.composition && !operation?.needs) return { call, flags }
  const { composition, name } = operation
  const complete = context.calls.completions[name]
  const fields = complete ? await complete(context, call.caller, flags.fields) : flags.fields
  const billable = billableOperation({ ...operation, ...composition?.forCall(fields) }, fields)
  context.availability.require(billable)
  return { call: { ...call, billable }, flags: { ...flags, fields } }
}
