import type { NamedOperation } from '../../tasks/index.ts'
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
  if (!operation?.composition && !operation?.needs && !operation?.configure) return { call, flags }
  const { composition, name } = operation
  const complete = context.calls.completions[name]
  const completed = complete ? await complete(context, call.caller, flags.fields) : flags.fields
  const fields = configure(context, operation, completed)
  const billable = billableOperation({ ...operation, ...composition?.forCall(fields) }, fields)
  context.availability.require(billable)
  return { call: { ...call, billable }, flags: { ...flags, fields } }
}

function configure(
  { offers, settings }: ApiContext,
  operation: NamedOperation,
  fields: CallFlags['fields'],
): CallFlags['fields'] {
  const configured = operation.configure?.(fields, offers, settings.ratesOf(operation.name))
  return (configured as CallFlags['fields'] | undefined) ?? fields
}
