import { type TProperties, Type } from 'typebox'
import { Choice, event, numberSetting, product, transitions } from '#kit'
import { MAILS } from './mails.ts'

const NullableText = Type.Union([Type.String(), Type.Null()])
const Recipient = Type.Object({ id: Type.String(), name: Type.String(), email: NullableText, role: Type.String() })
const RECIPIENT = { id: 'rcp_019ab3c45d6e7f809a1b2c3d4e5f6072', name: 'Ida', email: 'ida@example.com', role: 'signer' }
const ABOUT = {
  envelopeId: 'env_019ab3c45d6e7f809a1b2c3d4e5f6071',
  title: 'Lease of the flat',
  referenceId: 'lease-7',
  metadata: null,
  occurredAt: '2026-11-24T10:00:00.000Z',
}

/** No event has a value of a field, or a link. */
function envelopeEvent<Payload extends TProperties>(
  summary: string,
  statuses: readonly string[],
  payload: Payload,
  example: object = {},
) {
  return event({
    of: 'account',
    summary,
    payload: {
      envelopeId: Type.String(),
      title: Type.String(),
      status: Choice(statuses),
      referenceId: NullableText,
      metadata: Type.Unknown(),
      occurredAt: Type.String({ format: 'date-time' }),
      ...payload,
    },
    example: { ...ABOUT, status: statuses[0], ...example },
  })
}

const esigndoc = product({
  title: 'E-signature',
  summary: 'Documents to sign, sealed and provable afterwards.',
  dashboard: { path: '/dashboard/envelopes', position: 45 },
  scopes: {
    'esigndoc:read': 'Read your envelopes, templates and signed documents.',
    'esigndoc:write': 'Make, send and cancel envelopes in your name, which spends from your balance.',
  },
  states: transitions(
    'svc.envelope',
    {
      draft: ['sent', 'cancelled'],
      sent: ['in_progress', 'sealing', 'rejected', 'expired', 'cancelled'],
      in_progress: ['sealing', 'rejected', 'expired', 'cancelled'],
      sealing: ['completed'],
      completed: [],
      rejected: [],
      expired: [],
      cancelled: [],
    },
    {
      sent: 'envelope.sent',
      completed: 'envelope.completed',
      rejected: 'envelope.rejected',
      expired: 'envelope.expired',
      cancelled: 'envelope.cancelled',
    },
  ),
  events: {
    'envelope.sent': envelopeEvent(
      'An envelope was sent.',
      ['sent'],
      { recipients: Type.Array(Recipient) },
      { recipients: [RECIPIENT] },
    ),
    'envelope.viewed': envelopeEvent(
      'A recipient has opened an envelope for the first time.',
      ['sent', 'in_progress'],
      { recipient: Recipient },
      { recipient: RECIPIENT },
    ),
    'envelope.signed': envelopeEvent(
      'A recipient has done their part: signed, or approved.',
      ['in_progress'],
      { recipient: Recipient, remaining: Type.Integer({ description: 'How many must still act.' }) },
      { recipient: RECIPIENT, remaining: 0 },
    ),
    'envelope.completed': envelopeEvent(
      'Everybody has signed, and the document is sealed.',
      ['completed'],
      { signedSha256: Type.String(), certificateSha256: NullableText },
      { signedSha256: 'ab'.repeat(32), certificateSha256: null },
    ),
    'envelope.rejected': envelopeEvent(
      'A recipient has declined, which ends the envelope.',
      ['rejected'],
      { recipient: Recipient, reason: Type.String() },
      { recipient: RECIPIENT, reason: 'The rent is wrong.' },
    ),
    'envelope.expired': envelopeEvent('An envelope was not signed in time.', ['expired'], {}),
    'envelope.cancelled': envelopeEvent(
      'Its owner has cancelled an envelope.',
      ['cancelled'],
      { reason: NullableText },
      { reason: 'A new one follows.' },
    ),
  },
  notifications: MAILS,
  problems: {
    ENVELOPE_NOT_DRAFT: [
      409,
      'The envelope was sent, so its documents and fields are fixed. Make a new one to change them.',
    ],
    ENVELOPE_NOT_SENT: [409, 'The envelope is not out for signature; `status` says what it is.'],
    ENVELOPE_TERMINAL: [409, 'The envelope has ended, as `status` says.'],
    ENVELOPE_FULL: [409, 'The envelope has as many fields as it can have.'],
    NOT_COMPLETED: [
      409,
      'There is a sealed document once `status` is completed; if it is rejected, expired or cancelled, there never is.',
    ],
    NO_FIELDS: [422, 'A signer has nothing to sign; add a field for each of `recipients`, or use autoPlaceSignature.'],
    NO_SIGNERS: [422, 'Nobody is to sign; add a recipient with the role signer or approver.'],
    RECIPIENT_UNKNOWN: [
      422,
      'There is no such recipient; name one by its index, id or mail address, and in a template by its role.',
    ],
    RECIPIENT_DONE: [409, 'This recipient has done their part, or is not asked any more.'],
    FIELD_OUT_OF_PAGE: [422, 'A field does not lie within a page of the document.'],
    ANCHOR_NOT_FOUND: [422, 'The text of an anchor is nowhere in the document.'],
    FIELD_REQUIRED: [422, 'Fields that are required have no value; `ids` names them.'],
    FIELD_INVALID: [422, 'The value of a field is not one that it takes.'],
    SIGNATURE_EMPTY: [422, 'The signature is blank. Draw a line, type a name, or upload an image that shows one.'],
    CONSENT_REQUIRED: [422, 'Signing needs consent: true.'],
    LINK_EXPIRED: [410, 'This link is of no use any more: the envelope has ended, or there is a new link.'],
    LINK_IN_USE: [410, 'This link is in use in another browser; ask for a new one.'],
    NOT_YOUR_TURN: [409, 'Others have to sign first; you get a message when it is your turn.'],
    RECIPIENT_ALREADY_SIGNED: [409, 'This recipient has signed.', 'ALREADY_SIGNED'],
    VERIFICATION_REQUIRED: [403, 'The recipient has to prove first who they are, as `method` says.'],
    CODE_WRONG: [422, 'The code is not the right one, or too old.'],
    CODES_EXHAUSTED: [429, 'Too many codes were sent or tried; whoever has sent the envelope can make a new link.'],
    CODE_SENT_RECENTLY: [429, 'A code was sent less than half a minute ago; it may still be on its way.'],
    DECLINE_NOT_ALLOWED: [409, 'The sender does not allow to decline this envelope on this page; write to them.'],
    REASSIGN_NOT_ALLOWED: [409, 'The sender does not allow to pass this envelope on.'],
    RESENT_RECENTLY: [429, 'The recipients were reminded less than an hour ago.'],
    RESENDS_EXHAUSTED: [
      409,
      'The recipients were reminded three times, which is as often as can be. Pass their `signingUrl` on yourself.',
    ],
    TOO_MANY_ENVELOPES: [409, 'The account has as many open envelopes as it can have; cancel one first.'],
    PDF_ENCRYPTED: [422, 'The document is encrypted, so nothing can be signed in it. Remove its password first.'],
    PDF_XFA_UNSUPPORTED: [
      422,
      'The document is an XFA form, which only few programs show. Print it to a plain PDF first.',
    ],
    PDF_ALREADY_SIGNED: [422, 'The document has a signature, which would be broken. Send the document without it.'],
  },
  settings: {
    'esigndoc.max_open': numberSetting(
      10_000,
      1,
      1_000_000,
      'How many drafts and open envelopes one account may have.',
    ),
    'esigndoc.days': numberSetting(
      90,
      1,
      3_650,
      'How long drafts and envelopes that were declined, cancelled or not signed in time are kept, in days.',
    ),
    'esigndoc.max_upload_bytes': numberSetting(
      5_242_880,
      1_024,
      33_554_432,
      'The largest image of a signature or attachment that a signer can upload.',
    ),
    'rate.signing_calls_per_minute': numberSetting(
      240,
      1,
      1_000_000,
      'Calls and pages per minute with the link of one signer, and with such links from one address.',
    ),
  },
  retention: [
    {
      of: 'drafts and envelopes that came to nothing, with their documents and logs',
      after: 'esigndoc.days',
      removedBy: 'chore esigndoc.forget',
    },
    {
      of: 'signed documents with their logs, and templates',
      after: 'the account is erased',
      removedBy: 'esigndoc.erase_account',
    },
  ],
  contents: 'esigndoc.list_contents',
  erase: 'esigndoc.erase_account',
  exported: 'esigndoc.export_account',
})

export default esigndoc

declare module '../../kit/product.ts' {
  interface Products {
    esigndoc: typeof esigndoc
  }
}
