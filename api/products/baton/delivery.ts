import { type TSchema, Type } from 'typebox'
import { computeAmount, type Delivery, fieldEntries, OUTPUT_RULE, Problem, withRates } from '#kit'
import { useAfterUpload } from '../../../ops/batons/uploads.ts'
import { checkWritable } from '../../../sql/baton/flow.ts'
import type { ApiContext } from '../../context.ts'
import type { IncomingCall } from '../../incoming-call.ts'
import type { Billable } from '../../intake/billable.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { validate } from '../../intake/validate.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { OPTION_FIELDS } from './fields/create.ts'
import { PresetField } from './fields/preset.ts'
import { QUOTED_PRICE } from './rates.ts'
import { requireText, resolveBody, specifyBaton } from './specify.ts'
import { isToken } from './tokens.ts'
import { identifyPayer } from './visitor.ts'

/** What a caller says of where the output is to go. */
export interface DeliverOption {
  batonId?: string
  new?: Record<string, unknown>
}

interface DeliveringCall {
  billable: Billable
  caller: Caller | undefined
  request: IncomingCall
}

/** Secrets of triggers are shown once, in the answer to POST /v1/baton, so there are none here. */
const { content, contentEncoding, contentType, requestPresignedUpload, eventTriggers, ...NEW_FIELDS } = OPTION_FIELDS
const NewBaton = Type.Object({ preset: PresetField, ...NEW_FIELDS }, { additionalProperties: false })
const NewDelivery = Type.Object({ deliver: Type.Object({ new: NewBaton }) })

/** Checks all that can be known of a delivery before the call is paid for, and says what it costs. */
export async function planDelivery(
  context: ApiContext,
  call: DeliveringCall,
  deliver: DeliverOption | undefined,
): Promise<Delivery | undefined> {
  if (!deliver) return undefined
  const fields = ['deliver.batonId', 'deliver.new']
  if (deliver.batonId !== undefined && deliver.new) throw new Problem('CONFLICTING_OPTIONS', { fields })
  if (!isToken(deliver.batonId ?? '')) requireScope(call.caller, 'batons:write')
  if (deliver.new) return planCreation(context, call, { deliver: { new: deliver.new } })
  if (deliver.batonId === undefined) throw new Problem('MISSING_FIELD', { field: fields[0], oneOf: fields })
  return planWrite(context, call, deliver.batonId)
}

async function planWrite(
  context: ApiContext,
  { billable, caller, request }: DeliveringCall,
  id: string,
): Promise<Delivery> {
  const field = 'deliver.batonId'
  const by = identifyPayer(context, { billable, caller, params: { id }, request })
  const found = await useAfterUpload(context, by, visitor => checkWritable(context.db, visitor)).catch(
    (error: unknown) => {
      throw error instanceof Problem ? new Problem(error.code, { ...error.hints, field }) : error
    },
  )
  requireText(found.behaviour, mayBeText(billable.output), field)
  return { batonId: found.id, isLog: isLog(found.behaviour), chargeMicros: '0', by }
}

/** A call that is only told its price has no caller yet, whom the baton would belong to. */
async function planCreation(
  context: ApiContext,
  { billable, caller }: DeliveringCall,
  given: { deliver: { new: Record<string, unknown> } },
): Promise<Delivery> {
  validate(NewDelivery, given)
  const body = given.deliver.new as Parameters<typeof resolveBody>[1]
  const { behaviour, quote } = await resolveBody(context, body)
  if (behaviour === 'vectors') throw new Problem('PRESET_MISMATCH', { field: 'deliver.new.preset' })
  requireText(behaviour, mayBeText(billable.output), 'deliver.new.preset')
  const price = withRates(QUOTED_PRICE, context.settings.ratesOf('baton.create'))
  const chargeMicros = computeAmount(price, Number(quote.amountMicros)).toString()
  const specified = caller && (await specifyBaton(context, caller, body))
  return {
    ...{ batonId: specified?.stored.id ?? '', isLog: isLog(behaviour), chargeMicros },
    ...(specified && {
      create: { durationSeconds: String(specified.shape.durationSeconds), spec: specified.stored },
    }),
  }
}

function isLog(behaviour: string): boolean {
  return behaviour === 'append' || behaviour === 'chained'
}

/** Several files are delivered as an archive, and a result without a file as JSON. */
function mayBeText(output: TSchema): boolean {
  const files = fieldEntries(output).flatMap(([, field]) => (OUTPUT_RULE in field ? [field] : []))
  return files.every(field => field.type !== 'array' && contentTypesOf(field).some(isTextType))
}

function contentTypesOf(field: TSchema): readonly string[] {
  return (field as unknown as { [OUTPUT_RULE]: { contentTypes: readonly string[] } })[OUTPUT_RULE].contentTypes
}

function isTextType(type: string): boolean {
  return type === '*/*' || /^text\/|json|xml|csv|yaml/.test(type)
}
