import { Type } from 'typebox'
import { Choice } from '#kit'
import { readForReply, storeReply } from '../../../../sql/ask/replies.ts'
import { checkReply } from '../../../../tasks/products/ask/index.ts'
import { requireStorable } from '../../../intake/body/storable.ts'
import { route } from '../../../route.ts'
import { FileBody, readReplyFile } from '../asking.ts'
import { readToken } from '../replying.ts'
import { ReplyParam, ReplyTerms, Text } from '../schema.ts'

const MAX_BYTES = 262_144

export default route({
  at: 'POST /v1/bridge/reply/{token}',
  summary: 'Reply to a question with the token of its link, once.',
  keywords: 'approve, deny, answer a question, respond to an ask',
  description: 'The field of the kind of the question is required, and no other: `decision` for an approval.',
  auth: ['key', 'wallet', 'none'],
  params: ReplyParam,
  body: Type.Object(
    {
      decision: Type.Optional(Choice(['approved', 'denied'])),
      choice: Type.Optional(Text(100, 'The key of an option.')),
      text: Type.Optional(Type.String({ maxLength: 20_000 })),
      number: Type.Optional(Type.Number()),
      form: Type.Optional(Type.Object({}, { additionalProperties: true })),
      file: Type.Optional(FileBody),
      comment: Type.Optional(Text(4_000)),
      editedProposal: Type.Optional(Type.Unknown({ description: 'What to do instead of the proposal.' })),
      name: Type.Optional(Text(100, 'Who replies, where several people have one link.')),
    },
    { additionalProperties: false },
  ),
  reply: { status: 200, schema: ReplyTerms },
  errors: [
    ...(['INVALID_PARAM', 'NOT_FOUND', 'GONE', 'ASK_CLOSED', 'ALREADY_REPLIED', 'REPLY_INVALID'] as const),
    ...(['WRONG_WALLET', 'BODY_TOO_LARGE', 'RATE_LIMITED', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const),
  ],
  examples: [{ title: 'An approval', input: { decision: 'approved', comment: 'Go ahead.' } }],
  async handle({ caller, params, body, request }, context) {
    const token = readToken(context, request, params.token)
    const { file, name, ...given } = body
    requireStorable('reply', { ...given, name }, MAX_BYTES)
    const terms = await readForReply(context.db, token)
    const checked = checkReply(terms, body)
    const stored = file && readReplyFile(file, context.settings.get('ask.max_file_bytes'))
    const reply = { ...checked, file: stored, name: terms.isShared ? name : undefined, method: 'api' as const }
    return storeReply(context.db, token, reply, caller?.accountId)
  },
})
