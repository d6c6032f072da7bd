import { Type } from 'typebox'
import { Choice, perCall } from '#kit'
import { openAsk, readAsk } from '../../../../sql/ask/asks.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import { ASK_FIELDS, planAsk, readAttachments, revealLinks } from '../asking.ts'
import { readContacts } from '../recipients.ts'
import { AskParam, KINDS, NewAskReply, parseAskId } from '../schema.ts'

export default route({
  at: 'POST /v1/bridge/asks/{ask}/follow-up',
  summary: 'Ask the people of an ask something more, in the same thread.',
  keywords: 'ask again, ask back, continue a conversation with a person',
  auth: BILLABLE_AUTH,
  params: AskParam,
  body: Type.Object(
    {
      ...{ question: ASK_FIELDS.question, kind: Choice(KINDS, { default: 'text' }) },
      ...ASK_FIELDS,
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: NewAskReply },
  price: perCall('0.01'),
  settles: true,
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', 'OPTIONS_REQUIRED', 'SCHEMA_INVALID', 'REPLY_INVALID'] as const),
    ...([
      'BODY_TOO_LARGE',
      'TOO_MANY_ASKS',
      'PROVIDER_NOT_CONFIGURED',
      'RECIPIENT_INVALID',
      'TIME_LIMIT_EXCEEDED',
      'MODE_DISABLED',
    ] as const),
  ],
  examples: [{ title: 'A reason', input: { question: 'Why not? What should be different?' } }],
  async handle({ caller, params, body, job }, context) {
    const before = await readAsk(context.db, caller.accountId, parseAskId(params.ask))
    const plan = planAsk(context, body, { to: readContacts(before), escalation: [], threadId: before.threadId })
    const attachments = await readAttachments(context, job!, body)
    return openAsk(context.db, job!, { ...plan, attachments }, context.settings.get('ask.max_open'))
  },
  reveal: revealLinks,
})
