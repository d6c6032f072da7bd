import { listAccountEvents, listBatonEvents, newId, Problem } from '#kit'
import { createHostResolver, hasNoAddress } from '../../../ops/providers/dns/resolve.ts'
import { seal } from '../../../ops/secrets.ts'
import { registerWebhook, type WebhookRecord } from '../../../sql/webhook/endpoints.ts'
import {
  checkAddresses,
  createTrust,
  DestinationRefused,
  literalAddresses,
  PrivateDestination,
  parseDestination,
} from '../../../tasks/formats/web-address/destination.ts'
import { newWebhookSecret } from '../../../tasks/products/webhook/signature.ts'
import type { ApiContext } from '../../context.ts'
import type { Caller } from '../../intake/identity/caller.ts'

export function requireKnownEvents(events: readonly string[]): string[] {
  return requireEvents(events, listAccountEvents())
}

/** The same for the triggers of a baton. */
export function requireBatonEvents(events: readonly string[]): string[] {
  return requireEvents(events, listBatonEvents())
}

function requireEvents(events: readonly string[], allowed: string[]): string[] {
  const unknown = events.filter(event => !allowed.includes(event))
  if (unknown.length > 0 || events.length === 0) throw new Problem('INVALID_EVENTS', { unknown, events: allowed })
  return [...new Set(events)]
}

/** How an operator lets webhooks reach servers of the same machine. */
const ALLOW_LOCAL = 'WEBHOOK_NETWORKS=127.0.0.1 npm start'
const resolveHost = createHostResolver()

/**
 * Checks a URL as far as it can be before something is sent there; each delivery checks it again. A host whose name servers
 * do not answer now is accepted, because they may answer then.
 */
export async function requireAllowedUrl({ config }: ApiContext, { mode }: Caller, text: string): Promise<string> {
  try {
    const url = parseDestination(text)
    const isTrusted = createTrust(config.webhookNetworks)
    const addresses = literalAddresses(url, { isTrusted }) ?? (await findAddresses(url.hostname))
    if (addresses) checkAddresses(url, addresses, { isTrusted, allowsPlainHttp: mode === 'test' })
    return url.href
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error
    const way = error instanceof PrivateDestination && { set: 'WEBHOOK_NETWORKS', example: ALLOW_LOCAL }
    throw new Problem('WEBHOOK_URL_REFUSED', { field: 'url', reason: error.message, ...way })
  }
}

async function findAddresses(host: string): Promise<string[] | undefined> {
  try {
    return await resolveHost(host)
  } catch (error) {
    if (hasNoAddress(error)) throw new DestinationRefused('the host name has no address')
    return undefined
  }
}

/** Registers a webhook with a new secret, which is returned here and never again. */
export async function createWebhook(
  context: ApiContext,
  caller: Caller,
  { url, events, description }: { url: string; events: readonly string[]; description: string | null },
): Promise<WebhookRecord & { secret: string }> {
  const known = requireKnownEvents(events)
  const allowed = await requireAllowedUrl(context, caller, url)
  const id = newId()
  const { secret, sealed } = sealNewSecret(context, id)
  const max = context.settings.get('webhook.max_per_account')
  const fields = { id, accountId: caller.accountId, url: allowed, events: known, description, secret: sealed }
  return { ...(await registerWebhook(context.db, fields, max)), secret }
}

/** A new secret for the webhook with this id, and the same encrypted. */
export function sealNewSecret({ config }: ApiContext, id: string): { secret: string; sealed: string } {
  const secret = newWebhookSecret()
  return { secret, sealed: seal(config.secret, secret, id) }
}
