import { Type } from 'typebox'
import { listTriggers } from '../../../../sql/baton/triggers.ts'
import { route } from '../../../route.ts'
import { BatonId, OWNER_READS, USE_ERRORS } from '../fields/access.ts'
import { TriggerReply } from '../fields/trigger.ts'
import { revealTrigger } from '../triggers.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'GET /v1/baton/{id}/triggers',
  summary: 'List the webhooks of a baton that you own, with the secrets that sign their deliveries.',
  keywords: 'event triggers, secret of a trigger, webhooks of a baton',
  description: 'Also those of a baton that a call created by `deliver.new`, whose answer names no secrets.',
  auth: OWNER_READS,
  params: BatonId,
  reply: { status: 200, schema: Type.Object({ data: Type.Array(TriggerReply) }) },
  errors: USE_ERRORS,

  async handle({ caller, params, request }, context) {
    const found = await listTriggers(context.db, identifyVisitor(context, { caller, params, request }))
    return { data: found.map(trigger => revealTrigger(context, trigger)) }
  },
})
