import { Type } from 'typebox'
import { Choice, Problem } from '#kit'
import { defineTokens } from '../../../ops/tokens.ts'

const Time = Type.String({ format: 'date-time' })
const NullableTime = Type.Union([Time, Type.Null()])
const NullableText = Type.Union([Type.String(), Type.Null()])

export const Text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000\\ud800-\\udfff]*$', ...(description && { description }) })

export const KINDS = ['approval', 'choice', 'text', 'number', 'form', 'file'] as const
export const STATUSES = [
  ...(['open', 'partially_replied', 'replied', 'expired', 'defaulted', 'cancelled', 'undeliverable'] as const),
]

export const AskParam = Type.Object({ ask: Type.String({ maxLength: 100, description: 'The id of an ask of yours.' }) })

export const ReplyParam = Type.Object({
  token: Type.String({ maxLength: 100, description: 'The token of a recipient, the last part of his link.' }),
})

const KindField = Choice(KINDS)

const RECIPIENT_KINDS = ['link', 'email', 'slack', 'telegram', 'sms', 'webhook', 'wallet', 'channel'] as const

const Recipient = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: NullableText,
  kind: Choice(RECIPIENT_KINDS),
  address: NullableText,
  step: Type.Integer({ description: 'Of the escalation; 0 of those who are asked first.' }),
  askedAt: NullableTime,
  delivery: Choice(['none', 'waiting', 'sent', 'failed'], {
    description: '`none`: nothing is sent, the link is passed on or found in the inbox.',
  }),
  deliveryError: NullableText,
  hasReplied: Type.Boolean(),
})

export const File = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  sha256: Type.String(),
})

const Reply = Type.Object({
  recipient: Type.String(),
  decision: Type.Union([Choice(['approved', 'denied']), Type.Null()]),
  value: Type.Unknown({
    description: 'The key of the choice, the text, the number, the form, or the facts of the file.',
  }),
  comment: NullableText,
  editedProposal: Type.Unknown({ description: 'What the person made of the proposal; null if it was not edited.' }),
  method: Choice(['api', 'page']),
  repliedAt: Time,
})

const Option = Type.Object({
  key: Type.String(),
  label: Type.String(),
  description: Type.Optional(Type.String()),
  style: Type.Optional(Type.String()),
})

const Question = Type.Object({
  kind: KindField,
  question: Type.String(),
  context: Type.Unknown(),
  options: Type.Union([Type.Array(Option), Type.Null()]),
  schema: Type.Unknown(),
  proposal: Type.Unknown(),
  urgency: Choice(['low', 'normal', 'high']),
  allowComment: Type.Boolean(),
  allowEdit: Type.Boolean(),
  attachments: Type.Array(File),
  createdAt: Time,
  expiresAt: Time,
})

export const Ask = Type.Object({
  id: Type.String(),
  status: Choice(STATUSES),
  outcome: Type.Union([Choice(['approved', 'denied', 'choice', 'answered', 'timeout']), Type.Null()], {
    description: 'Null until it has ended, and of one that was cancelled or reached nobody.',
  }),
  ...Question.properties,
  needed: Type.Integer({ description: 'How many approvals, or replies of another kind, end it.' }),
  voters: Type.Integer({ description: 'How many can reply.' }),
  denialEnds: Type.Boolean({ description: 'One denial is enough to end it.' }),
  defaultReply: Type.Unknown({ description: 'What counts when nobody replies in time; null: the ask expires then.' }),
  recipients: Type.Array(Recipient),
  replies: Type.Array(Reply),
  undelivered: Type.Array(Type.Object({ recipient: Type.String(), reason: NullableText })),
  threadId: Type.String(),
  referenceId: NullableText,
  metadata: Type.Unknown(),
  remindedAt: NullableTime,
  endedAt: NullableTime,
})

export const NewAskReply = Type.Object({
  ...Ask.properties,
  replyUrls: Type.Array(Type.Object({ recipient: Type.String(), url: Type.String() }), {
    description: 'The page of each recipient. Whoever has such a link can reply, so give it to nobody else.',
  }),
  costMicros: Type.String({ description: 'What it was charged, in millionths of a US dollar.' }),
  waitUrl: Type.String({ description: 'Answers when the ask has ended, or after 55 seconds.' }),
})

/** An ask as whoever replies sees it. */
export const ReplyTerms = Type.Object({
  askId: Type.String(),
  status: Choice(STATUSES),
  recipient: NullableText,
  wallet: Type.Union([Type.String(), Type.Null()], { description: 'Only its owner can reply.' }),
  isShared: Type.Boolean({ description: 'Several people may reply with this link.' }),
  hasReplied: Type.Boolean(),
  ...Question.properties,
})

/** The token of the id of a recipient, so that a repeat of the call is told the same. */
export const REPLY = defineTokens('rpl_', 'ask-reply')

export const OWNER_ERRORS = ['NOT_FOUND', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const

/** The id without its prefix, as the database has it. */
export function parseAskId(text: string): string {
  const hex = text.slice('ask_'.length)
  if (!/^ask_[0-9a-f]{32}$/.test(text)) throw new Problem('NOT_FOUND')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
