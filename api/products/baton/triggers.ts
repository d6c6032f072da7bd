import { createHmac } from 'node:crypto'
import { newId } from '#kit'
import { deriveKey, seal } from '../../../ops/secrets.ts'
import { showWebhookSecret } from '../../../tasks/products/webhook/index.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'
import { requireAllowedUrl, requireBatonEvents } from '../webhook/index.ts'
import type { CreateBody } from './fields/create.ts'

/** Webhooks of one baton, as they are stored, and as the answer that creates them is kept: without their secrets. */
export function sealTriggers(context: ApiContext, caller: Caller, triggers: NonNullable<CreateBody['eventTriggers']>) {
  return Promise.all(
    triggers.map(async ({ url: given, events: names, description = null }) => {
      const url = await requireAllowedUrl(context, caller, given)
      const kept = { id: newId(), url, events: requireBatonEvents(names), description }
      const sealed = seal(context.config.secret, deriveSecret(context, kept.id), kept.id)
      return { stored: { ...kept, secret: sealed }, kept }
    }),
  )
}

/** Adds the secret to what is kept of a trigger's creation. */
export function revealTrigger<Kept extends { id: string }>(context: Pick<ApiContext, 'config'>, kept: Kept) {
  return { ...kept, secret: deriveSecret(context, kept.id) }
}

/** The first secret of a trigger follows from its id, so that a repeat of the call that created it gets the same answer. */
function deriveSecret({ config }: Pick<ApiContext, 'config'>, id: string): string {
  return showWebhookSecret(createHmac('sha256', deriveKey(config.secret, 'baton-trigger')).update(id).digest())
}
