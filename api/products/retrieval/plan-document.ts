import { computeAmount, type Delivery, withRates } from '#kit'
import type { DocumentPlan } from '../../../sql/retrieval/document.ts'
import type { BatonPart, DocumentCall } from '../../../tasks/products/retrieval/index.ts'
import type { ApiContext } from '../../context.ts'
import type { NamingCall } from '../../intake/parts.ts'
import { requireScope } from '../../oauth/scopes.ts'
import { QUOTED_PRICE, resolveBody, specifyBaton } from '../baton/index.ts'
import { chooseTextModel, identifyVectorUser } from '../vector/index.ts'

/** The tiers where a call says nothing; how large the parts are is only known once they are read. */
const DEFAULT_TIER: Record<BatonPart, string> = { pdf: 'nano', tables: 'pico', vectors: 'nano' }

/** The batons that a document may be stored in, each with its price; those that are not needed are neither made nor charged. */
export async function planDocument(
  context: ApiContext,
  call: NamingCall,
  fields: Record<string, unknown>,
): Promise<Delivery> {
  requireScope(call.caller, 'batons:write')
  const asked = fields as unknown as DocumentCall
  const parts: BatonPart[] = [
    'pdf',
    ...(asked.tables ? (['tables'] as const) : []),
    ...(asked.index ? (['vectors'] as const) : []),
  ]
  const planned = await Promise.all(
    parts.map(async part => [part, await planBaton(context, call, asked, part)] as const),
  )
  const chargeMicros = planned.reduce((sum, [, baton]) => sum + BigInt(baton.chargeMicros), 0n)
  const plan: DocumentPlan = Object.fromEntries(planned)
  return { to: 'bundles.ingest-document', chargeMicros: String(chargeMicros), plan }
}

async function planBaton(context: ApiContext, { caller, request }: NamingCall, asked: DocumentCall, part: BatonPart) {
  const isVectors = part === 'vectors'
  const body = {
    preset: isVectors ? 'vector' : 'drop',
    tier: asked.batons?.[part]?.tier ?? DEFAULT_TIER[part],
    ...(asked.name !== undefined && { name: asked.name }),
  } as Parameters<typeof resolveBody>[1]
  const { quote } = await resolveBody(context, body)
  const price = withRates(QUOTED_PRICE, context.settings.ratesOf('baton.create'))
  const chargeMicros = computeAmount(price, Number(quote.amountMicros)).toString()
  const model = isVectors ? { model: chooseTextModel(context, null).name } : {}
  // A call that is only told its price has no caller yet, whom the batons would belong to.
  if (!caller)
    return { spec: { id: '' }, durationSeconds: '0', chargeMicros, ...model } as DocumentPlan['vectors'] & object
  const { stored, shape } = await specifyBaton(context, caller, body)
  const by = isVectors && identifyVectorUser(context, { caller, params: { baton: stored.id }, request })
  return {
    ...{ spec: stored, durationSeconds: String(shape.durationSeconds), chargeMicros },
    ...model,
    ...(by && { by }),
  } as DocumentPlan['vectors'] & object
}
