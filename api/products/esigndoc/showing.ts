import { deriveLink } from '../../../ops/products/esigndoc/links.ts'
import type { EnvelopeView, FieldView, RecipientView } from '../../../sql/esigndoc/envelopes.ts'
import { findOverlaps } from '../../../tasks/products/esigndoc/place.ts'
import type { ApiContext } from '../../context.ts'
import { parseRecipientId } from './schema.ts'

type Context = Pick<ApiContext, 'config'>

const IS_OUT = new Set(['sent', 'in_progress', 'sealing', 'completed'])
const HAS_LINK = new Set(['notified', 'viewed', 'completed', 'bounced'])

/** An envelope for its owner, with the links of those who are asked. */
export function describeEnvelope(context: Context, view: EnvelopeView): object {
  const { terms, recipients, ...shown } = view
  const isOut = IS_OUT.has(view.status)
  const overlaps = view.status === 'draft' ? listWarnings(view.fields) : []
  const warnings = [...overlaps, ...warnOfTurns(view)]
  return {
    ...shown,
    options: terms,
    recipients: recipients.map(one => describeRecipient(context, one, isOut)),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** Whoever numbers the recipients may mean that they are asked one after the other. */
function warnOfTurns({ signingOrder, status, recipients }: EnvelopeView): object[] {
  const isOpen = status === 'draft' || status === 'sent'
  const isNumbered = signingOrder === 'parallel' && recipients.some(({ order }) => order > 1)
  return isOpen && isNumbered ? [{ code: 'ORDER_WITHOUT_TURNS' }] : []
}

export function describeRecipient(context: Context, { linkNonce, ...view }: RecipientView, isOut = true): object {
  const hasLink = isOut && HAS_LINK.has(view.status)
  return { ...view, ...(hasLink && { signingUrl: writeSigningUrl(context, view.id, linkNonce) }) }
}

/** The page of a recipient. The link is stored nowhere. */
export function writeSigningUrl({ config }: Context, recipientId: string, nonce: string): string {
  const id = recipientId.startsWith('rcp_') ? parseRecipientId(recipientId) : recipientId
  return `${config.publicUrl}/sign/${deriveLink(config.secret, id, nonce)}`
}

export function listWarnings(fields: readonly FieldView[]): object[] {
  const rows = fields.map(({ id, value, ...spec }) => ({ id, recipientId: undefined, spec, value }))
  return findOverlaps(rows).map(pair => ({ code: 'FIELD_OVERLAP', fields: pair }))
}
