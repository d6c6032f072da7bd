import { type TSchema, Type } from 'typebox'
import { computeAmount, type Delivery, fieldEntries, OUTPUT_RULE, Problem, withRates } from '#kit'
import { useAfterUpload } from '../../../ops/products/baton/uploads.ts'
import { checkWritable } from '../../../sql/baton/job-files.ts'
import type { BatonPlan } from '../../../tasks/products/baton/index.ts'
import type { ApiContext } from '../../context.ts'
import type { DeliveryKind, NamingCall } from '../../intake/parts.ts'
import { validate } from '../../intake/validate.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { OPTION_FIELDS } from './fields/create.ts'
import { PresetField } from './fields/preset.ts'
import { QUOTED_PRICE } from './rates.ts'
import { requireText, resolveBody, specifyBaton } from './specify.ts'
import { isToken } from './tokens.ts'
import { identifyPayer } from './visitor.ts'

/** What a caller says of where the output is to go. */
interface DeliverOption {
  batonId?: string
  new?: Record<string, unknown>
}

const { content, contentEncoding, contentType, requestPresignedUpload, ...NEW_FIELDS } = OPTION_FIELDS
const NewBaton = Type.Object({ preset: PresetField, ...NEW_FIELDS }, { additionalProperties: false })
const NewDelivery = Type.Object({ deliver: Type.Object({ new: NewBaton }) })

/** The output of a call in a baton that there is, or in one that is created with it. */
export const batonDelivery: DeliveryKind = {
  fields: ['batonId', 'new'],

  async plan(context, call, deliver) {
    const { batonId, new: created } = deliver as DeliverOption
    if (batonId !== undefined && created)
      throw new Problem('CONFLICTING_OPTIONS', { fields: ['deliver.batonId', 'deliver.new'] })
    if (!isToken(batonId ?? '')) requireScope(call.caller, 'batons:write')
    return created ? planCreation(context, call, { deliver: { new: created } }) : planWrite(context, call, batonId!)
  },
}

async function planWrite(
  context: ApiContext,
  { billable, caller, request }: NamingCall,
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
  return describePlan('0', { batonId: found.id, isLog: isLog(found.behaviour), by })
}

/** A call that is only told its price has no caller yet, whom the baton would belong to. */
async function planCreation(
  context: ApiContext,
  { billable, caller }: NamingCall,
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
  return describePlan(chargeMicros, {
    ...{ batonId: specified?.stored.id ?? '', isLog: isLog(behaviour) },
    ...(specified && {
      create: { durationSeconds: String(specified.shape.durationSeconds), spec: specified.stored },
    }),
  })
}

function describePlan(chargeMicros: string, plan: BatonPlan): Delivery {
  return { to: 'baton', chargeMicros, plan }
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
