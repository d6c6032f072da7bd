import { type TSchema, Type } from 'typebox'
import { computeAmount, type Delivery, Problem, withRates } from '#kit'
import type { IngestPlan } from '../../../sql/retrieval/ingest.ts'
import { findVectorModel } from '../../../sql/vector/index.ts'
import { startNow } from '../../../tasks/products/baton/index.ts'
import type { IngestCall } from '../../../tasks/products/retrieval/index.ts'
import type { ApiContext } from '../../context.ts'
import type { NamingCall } from '../../intake/parts.ts'
import { validate } from '../../intake/validate.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { CHOICE_FIELDS, isToken, QUOTED_PRICE, resolveBody, specifyBaton } from '../baton/index.ts'
import { checkBeforePaying, chooseTextModel, identifyVectorUser } from '../vector/index.ts'

const DEFAULT_TIER = 'nano'
const NewBaton: TSchema = Type.Object({
  baton: Type.Object({ ...CHOICE_FIELDS, name: Type.Optional(Type.String()) }, { additionalProperties: false }),
})

/** Where the chunks of a document go: a vector baton that there is, or one that is created with them. */
export function planIngest(context: ApiContext, call: NamingCall, fields: Record<string, unknown>): Promise<Delivery> {
  const { batonId, baton = {} } = fields as unknown as IngestCall
  if (!isToken(batonId ?? '')) requireScope(call.caller, 'batons:write')
  return batonId === undefined ? planCreation(context, call, baton) : planWrite(context, call, batonId)
}

async function planWrite(context: ApiContext, call: NamingCall, id: string): Promise<Delivery> {
  const visit = { caller: call.caller, params: { baton: id }, request: call.request }
  await checkBeforePaying(context, visit, 'write')
  if (!call.caller && !isToken(id)) return describe('0', { batonId: id, by: { baton: id } as never, model: '' })
  const by = identifyVectorUser(context, visit)
  const indexModel = await findVectorModel(context.db, by)
  const { name } = chooseTextModel(context, indexModel)
  if (indexModel !== null && indexModel !== name)
    throw new Problem('MODEL_MISMATCH', { indexModel, queryModel: name, instead: 'Use another vector baton.' })
  return describe('0', { batonId: id, by, model: name })
}

/** A call that is only told its price has no caller yet, whom the baton would belong to. */
async function planCreation(
  context: ApiContext,
  { caller, request }: NamingCall,
  baton: NonNullable<IngestCall['baton']>,
): Promise<Delivery> {
  validate(NewBaton, { baton })
  const shaped = baton.tier === undefined && !baton.customShape ? { ...baton, tier: DEFAULT_TIER } : baton
  const body = { ...shaped, preset: 'vector' } as Parameters<typeof resolveBody>[1]
  const { shape, quote } = await resolveBody(context, body)
  const price = withRates(QUOTED_PRICE, context.settings.ratesOf('baton.create'))
  const chargeMicros = computeAmount(price, Number(quote.amountMicros)).toString()
  const { name: model } = chooseTextModel(context, null)
  if (!caller) return describe(chargeMicros, { batonId: '', by: {} as never, model })
  const { stored } = await specifyBaton(context, caller, body)
  const by = identifyVectorUser(context, { caller, params: { baton: stored.id }, request })
  const spec = { ...stored, ...startNow(shape.durationSeconds) }
  return describe(chargeMicros, { batonId: stored.id, by, model, spec })
}

function describe(chargeMicros: string, plan: IngestPlan): Delivery {
  return { to: 'bundles.rag-ingest', chargeMicros, plan }
}
