import { hashLink, hasLinkForm } from '../../../../ops/products/esigndoc/links.ts'
import { defineTokens } from '../../../../ops/tokens.ts'
import type { Origin, Signer } from '../../../../sql/esigndoc/signing.ts'
import type { ApiContext } from '../../../context.ts'
import type { IncomingRequest } from '../../../incoming-call.ts'
import { defineLinkVisitors } from '../../../intake/identity/link-visitor.ts'

const MAX_AGENT = 500

const { readLink, readSession, markVisitor } = defineLinkVisitors({
  kind: 'sign',
  perMinute: settings => settings.get('rate.signing_calls_per_minute'),
  link: { hash: hashLink, hasForm: hasLinkForm },
  session: defineTokens('sgs_', 'envelope-session'),
  cookie: 'svc_signing',
  header: 'x-signing-session',
})

export { markVisitor }

/** Who acts with a link, unless it, or the address it comes from, is used too often. */
export function readSigner(context: ApiContext, request: IncomingRequest, text: string): Signer {
  return { token: readLink(context, request, text), session: readSession(context, request) }
}

/** Where a call comes from, as the certificate will say it. */
export function readOrigin({ ip, headers }: IncomingRequest): Origin {
  const agent = (headers['user-agent'] ?? '').replaceAll(/[^\x20-\x7e]/g, '?').slice(0, MAX_AGENT)
  return { ip, userAgent: agent }
}
