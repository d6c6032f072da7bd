import { Type } from 'typebox'
import { Choice, perCall } from '#kit'
import { openAsk } from '../../../../sql/ask/asks.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { ASK_FIELDS, planAsk, readAttachments, revealLinks } from '../asking.ts'
import { RecipientBody, readContact } from '../recipients.ts'
import { KINDS, NewAskReply, Text } from '../schema.ts'

const To = Type.Array(RecipientBody, { maxItems: 20 })

export default route({
  at: 'POST /v1/bridge/asks',
  summary: 'Ask people for an approval, a choice, a text, a number, a form or a file.',
  keywords:
    'human in the loop, ask my boss, approve before i continue, approval, ask a human, human approval, confirm an action, request input, get feedback, four eyes, ask a person to approve, ask people a question by mail, yes or no, vote, sign-off, ask my manager',
  description:
    'They reply on a page without an account, by mail, Slack, Telegram, SMS or webhook, or you pass the link on. When nobody replies in time, the ask expires, which is no approval. Wait for the end with GET /v1/bridge/asks/{ask}/wait, or register a webhook for `bridge.ask.replied`.',
  auth: BILLABLE_AUTH,
  body: Type.Object(
    {
      ...{ question: ASK_FIELDS.question, kind: Choice(KINDS, { default: 'approval' }) },
      to: Type.Array(RecipientBody, {
        maxItems: 20,
        default: [],
        description: 'Whom to ask. Left out: there is one link for you to pass on.',
      }),
      ...ASK_FIELDS,
      escalation: Type.Array(
        Type.Object(
          { afterSeconds: Type.Integer({ minimum: 60, maximum: 2_592_000 }), to: To },
          { additionalProperties: false },
        ),
        { maxItems: 5, default: [], description: 'Who is asked too if it is still open after so many seconds.' },
      ),
      threadId: Type.Optional(Text(200, 'To which it belongs; by default it begins one of its own.')),
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: NewAskReply },
  price: perCall('0.01'),
  settles: true,
  errors: [
    ...([
      'INVALID_PARAM',
      'NOT_FOUND',
      'OPTIONS_REQUIRED',
      'SCHEMA_INVALID',
      'REPLY_INVALID',
      'RECIPIENT_INVALID',
    ] as const),
    ...([
      'BODY_TOO_LARGE',
      'TOO_MANY_ASKS',
      'PROVIDER_NOT_CONFIGURED',
      'TIME_LIMIT_EXCEEDED',
      'MODE_DISABLED',
    ] as const),
  ],
  examples: [
    {
      title: 'An approval by a link',
      input: { question: 'May I delete the 3 backups of May?', proposal: { action: 'delete', backups: 3 } },
    },
    {
      title: 'A choice with a default',
      input: {
        ...{ kind: 'choice', question: 'Which plan?', onTimeout: 'default', defaultReply: { choice: 'small' } },
        options: [
          { key: 'small', label: 'Small' },
          { key: 'large', label: 'Large' },
        ],
      },
    },
  ],
  async handle({ caller, body, job }, context) {
    const { to, escalation, threadId, ...asked } = body
    const plan = planAsk(context, asked, {
      to: to.map((recipient, index) => readContact(context, caller, recipient, `to/${index}`)),
      escalation: escalation.map(({ afterSeconds, to: later }, step) => ({
        afterSeconds,
        to: later.map((recipient, index) => readContact(context, caller, recipient, `escalation/${step}/to/${index}`)),
      })),
      threadId,
    })
    const attachments = await readAttachments(context, job!, body)
    return openAsk(context.db, job!, { ...plan, attachments }, context.settings.get('ask.max_open'))
  },
  reveal: revealLinks,
})
