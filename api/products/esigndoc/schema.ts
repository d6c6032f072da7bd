import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { PLACED_FIELD_TYPES } from '../../../tasks/products/esigndoc/document.ts'
import { ROLES } from '../../../tasks/products/esigndoc/terms.ts'

const Time = Type.String({ format: 'date-time' })
const NullableTime = Type.Union([Time, Type.Null()])
export const NullableText = Type.Union([Type.String(), Type.Null()])

export const STATUSES = [
  ...(['draft', 'sent', 'in_progress', 'sealing', 'completed', 'rejected', 'expired', 'cancelled'] as const),
]

const RECIPIENT_STATUSES = [
  ...(['waiting', 'notified', 'viewed', 'completed', 'declined', 'reassigned', 'bounced', 'skipped'] as const),
]

export const RecipientReply = Type.Object({
  id: Type.String(),
  name: Type.String(),
  email: NullableText,
  phone: NullableText,
  role: Choice(ROLES),
  order: Type.Integer(),
  language: Type.String(),
  delivery: Type.String(),
  verification: Type.String(),
  wallet: NullableText,
  metadata: Type.Unknown(),
  status: Choice(RECIPIENT_STATUSES),
  deliveryError: NullableText,
  signingUrl: Type.Optional(
    Type.String({ description: 'The page of this recipient, once they are asked. Give it to them alone.' }),
  ),
  notifiedAt: NullableTime,
  viewedAt: NullableTime,
  signedAt: NullableTime,
  declineReason: NullableText,
  reassignedTo: NullableText,
  remindersSent: Type.Integer(),
})

export const FieldReply = Type.Object(
  {
    id: Type.String(),
    recipient: NullableText,
    type: Choice(PLACED_FIELD_TYPES),
    file: Type.Integer(),
    page: Type.Integer(),
    ...{ x: Type.Number(), y: Type.Number(), w: Type.Number(), h: Type.Number() },
    required: Type.Boolean(),
    readOnly: Type.Boolean(),
    value: Type.Unknown(),
  },
  { additionalProperties: true },
)

export const FilesReply = Type.Array(
  Type.Object({
    name: Type.String(),
    sha256: Type.String({ description: 'Of what is signed: without tags and with pages that were added.' }),
    originalSha256: Type.String({ description: 'Of the PDF as it was given, or made of an Office document.' }),
    pages: Type.Integer({ description: 'Of what is signed.' }),
  }),
)

export const Warnings = Type.Optional(
  Type.Array(
    Type.Object({
      code: Choice(['FIELD_OVERLAP', 'ORDER_WITHOUT_TURNS'], {
        description: 'Of recipients with turns: all are asked at once unless `signingOrder` is `sequential`.',
      }),
      fields: Type.Optional(Type.Array(Type.String())),
    }),
  ),
)

export const Envelope = Type.Object({
  id: Type.String(),
  status: Choice(STATUSES),
  title: Type.String(),
  pages: Type.Integer(),
  files: FilesReply,
  signingOrder: Choice(['parallel', 'sequential']),
  timezone: Type.String(),
  options: Type.Object({}, { additionalProperties: true, description: 'As they were chosen.' }),
  recipients: Type.Array(RecipientReply),
  fields: Type.Array(FieldReply),
  progress: Type.Object({ signed: Type.Integer(), total: Type.Integer() }),
  templateId: NullableText,
  templateVersion: Type.Union([Type.Integer(), Type.Null()]),
  createdAt: Time,
  sentAt: NullableTime,
  completedAt: NullableTime,
  expiresAt: NullableTime,
  remindersSent: Type.Integer(),
  chargedMicros: Type.String(),
  referenceId: NullableText,
  metadata: Type.Unknown(),
  batonId: Type.Union([Type.String(), Type.Null()], { description: 'The ledger that has a copy of the log.' }),
  signedSha256: NullableText,
  seal: Type.Unknown({ description: 'Of the sealed document: its level and signer, and why there is no timestamp.' }),
  warnings: Warnings,
})

export const EnvelopeParam = Type.Object({
  id: Type.String({ maxLength: 64, description: 'Such as `env_019ab3c4…`.' }),
})

export const OWNER_ERRORS = ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const

/** What the documents of a call can be refused for. */
export const DOCUMENT_ERRORS = [
  ...(['PDF_ENCRYPTED', 'PDF_XFA_UNSUPPORTED', 'PDF_ALREADY_SIGNED', 'PDF_PARSE_FAILED', 'TOO_MANY_PAGES'] as const),
  ...(['UNSUPPORTED_FORMAT', 'INPUT_EMPTY', 'INPUT_TOO_LARGE', 'INPUT_NOT_FOUND', 'INPUT_GONE'] as const),
  ...(['INVALID_BASE64', 'INVALID_SOURCE', 'MODE_DISABLED', 'OFFICE_PARSE_FAILED', 'MISSING_FIELD'] as const),
  ...(['CONFLICTING_OPTIONS', 'INVALID_PARAM', 'ANCHOR_NOT_FOUND', 'FIELD_OUT_OF_PAGE', 'RECIPIENT_UNKNOWN'] as const),
  'FIELD_INVALID' as const,
  ...([
    'TIME_LIMIT_EXCEEDED',
    'MEMORY_LIMIT_EXCEEDED',
    'SANDBOX_UNAVAILABLE',
    'BUSY',
    'PROVIDER_NOT_CONFIGURED',
  ] as const),
]

export const SEND_ERRORS = ['NO_SIGNERS', 'NO_FIELDS', 'TOO_MANY_ENVELOPES', 'ENVELOPE_FULL'] as const

export function parseEnvelopeId(text: string): string {
  return parseId('env_', text, () => new Problem('NOT_FOUND'))
}

export function parseTemplateId(text: string): string {
  return parseId('tpl_', text, () => new Problem('NOT_FOUND'))
}

export function parseBatchId(text: string): string {
  return parseId('btc_', text, () => new Problem('NOT_FOUND'))
}

export function parseRecipientId(text: string): string {
  return parseId('rcp_', text, () => new Problem('RECIPIENT_UNKNOWN', { recipient: text.slice(0, 100) }))
}

/** The id in the database. */
function parseId(prefix: string, text: string, refuse: () => Problem): string {
  const hex = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(hex)) throw refuse()
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
