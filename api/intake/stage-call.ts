import { type Delivery, Problem } from '#kit'
import type { NamedOperation } from '../../tasks/index.ts'
import type { ApiContext } from '../context.ts'
import { billableOperation } from './billable.ts'
import type { CallFlags, ReceivedCall, StagedCall } from './call.ts'
import { stageFilesOf } from './files/stage-files.ts'

/** Finds and checks the files of a call, and where its output is to go. */
export async function stageCall(context: ApiContext, received: ReceivedCall, given: CallFlags): Promise<StagedCall> {
  requireNeeds(context, received, given)
  const { call, flags } = await composeCall(context, received, given)
  const { billable, preference, temporaryFiles } = call
  const { options, isDryRun, isAsync, deliver } = flags
  const staged = await stageFilesOf(context, call, billable.input, flags.fields)
  temporaryFiles.defer(() => staged.discard())
  return {
    ...call,
    staged,
    inputBytes: inputBytesOf(call, staged.totalBytes),
    ...{ options, isDryRun, isAsync },
    delivery: await planDelivery(context, call, { deliver, fields: flags.fields }),
    waitSeconds: preference.waitSeconds ?? context.settings.get('api.wait_seconds'),
  }
}

function requireNeeds({ availability }: ApiContext, { billable }: ReceivedCall, { fields }: CallFlags): void {
  if (billable.needsOf) availability.require({ ...billable, needs: billable.needsOf(fields) })
}

/** What the baton costs that the output is delivered to. */
export function deliveryMicros({ delivery }: Pick<StagedCall, 'delivery'>): bigint {
  return BigInt(delivery?.chargeMicros ?? 0)
}

async function planDelivery(
  context: ApiContext,
  call: ReceivedCall,
  { deliver, fields }: Pick<CallFlags, 'deliver' | 'fields'>,
): Promise<Delivery | undefined> {
  const plan = context.calls.plans[call.billable.name]
  if (plan) return plan(context, call, fields)
  if (!deliver) return undefined
  const { deliveries } = context.calls
  const [kind, other] = deliveries.filter(({ fields }) => fields.some(name => deliver[name] !== undefined))
  const names = deliveries.flatMap(({ fields }) => fields.map(name => `deliver.${name}`))
  if (other) throw new Problem('CONFLICTING_OPTIONS', { fields: names })
  if (!kind) throw new Problem('MISSING_FIELD', { field: names[0], oneOf: names })
  return kind.plan(context, call, deliver)
}

/** The size of the input: files by their decoded size, the rest of the body as it was sent. */
function inputBytesOf({ request, uploads, body }: ReceivedCall, fileBytes: number): number {
  const declared = Number(request.headers['content-length'])
  const isDeclared = Number.isSafeInteger(declared)
  if (uploads.size > 0) return isDeclared ? Math.max(fileBytes, declared) : fileBytes + measureJson(body)
  const jsonBytes = isDeclared ? declared : measureJson(body)
  return Math.max(fileBytes, jsonBytes - Math.ceil(fileBytes / 3) * 4 + fileBytes)
}

function measureJson(body: unknown): number {
  return Buffer.byteLength(JSON.stringify(body))
}

/**
 * A call gets the tools that its body asks for; one that runs other operations gets their files, tools and prices. It is
 * refused if one of them cannot run.
 */
async function composeCall(
  context: ApiContext,
  call: ReceivedCall,
  flags: CallFlags,
): Promise<{ call: ReceivedCall; flags: CallFlags }> {
  const { execution } = call.billable
  const { operation } = execution.kind === 'operation' ? execution : {}
  const complete = operation && context.calls.completions[operation.name]
  if (!operation || !(complete || operation.composition || operation.needs || operation.configure))
    return { call, flags }
  const { composition } = operation
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
