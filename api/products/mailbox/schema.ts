import { Type } from 'typebox'
import { Choice } from '#kit'
import { NullableText, Time } from '../lease/index.ts'

const Text = Type.String({ minLength: 1, maxLength: 200 })
export const MessageId = Type.Object({
  lease_id: { ...Text, description: 'The lease_id that opening the mailbox has answered: lse_...' },
  message_id: { ...Text, description: 'The message_id of a message in the list of messages: msg_...' },
})
export const DropToken = Type.Object({
  drop_token: { ...Text, description: 'The part drp_... of the drop_url that opening the mailbox has answered.' },
})

export const MAILBOX_FIELDS = {
  lease_id: Type.String(),
  version: Type.Integer({ description: 'Counts its drop tokens.' }),
  label: NullableText,
  state: Choice(['open', 'full']),
  capacity_bytes: Type.Integer(),
  used_bytes: Type.Integer(),
  max_message_bytes: Type.Integer(),
  max_messages: Type.Integer(),
  count: Type.Integer({ description: 'How many messages it holds.' }),
  drop_rate: Type.Integer({ description: 'Messages a minute from one address.' }),
  allowed_content_types: Type.Union([Type.Array(Type.String()), Type.Null()]),
  has_webhook: Type.Boolean(),
  created_at: Time,
  expires_at: Time,
}
export const Mailbox = Type.Object(MAILBOX_FIELDS)
export const DropUrl = Type.String({ description: 'Whoever has it can leave messages. It is not shown again.' })
export const MailboxCreated = Type.Object({
  ...MAILBOX_FIELDS,
  status: Type.Literal('created'),
  drop_url: DropUrl,
  poll_url: Type.String(),
  cost_micros: Type.String(),
  webhook_secret: Type.Union([Type.String(), Type.Null()], {
    description: 'Signs the notifications, if the caller gave a URL and no secret. It is not shown again.',
  }),
})

export const Message = Type.Object({
  id: Type.String(),
  received_at: Time,
  size_bytes: Type.Integer(),
  content_type: Type.String(),
  filename: NullableText,
  sha256: Type.String(),
  read_at: Type.Union([Time, Type.Null()]),
})
