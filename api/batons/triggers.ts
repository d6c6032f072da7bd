import { newId } from '#kit'
import type { ApiContext } from '../context.ts'
import type { Caller } from '../intake/identity/caller.ts'
import { requireAllowedUrl, requireBatonEvents, sealNewSecret } from '../webhooks/registration.ts'
import type { CreateBody } from './create-fields.ts'

/** Webhooks of one baton, as they are stored, and as they are shown once, with their secrets. */
export function sealTriggers(context: ApiContext, caller: Caller, triggers: NonNullable<CreateBody['eventTriggers']>) {
  return Promise.all(
    triggers.map(async ({ url: given, events: names, description = null }) => {
      const url = await requireAllowedUrl(context, caller, given)
      const events = requireBatonEvents(names)
      const id = newId()
      const { secret, sealed } = sealNewSecret(context, id)
      return {
        stored: { id, url, events, description, secret: sealed },
        shown: { id, url, events, description, secret },
      }
    }),
  )
}
