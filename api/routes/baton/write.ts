import { Type } from 'typebox'
import { writeBaton } from '../../../sql/baton/use.ts'
import { storeContent } from '../../batons/content.ts'
import { ContentEncoding, ContentType } from '../../batons/create-fields.ts'
import { BatonRef, EntryReply, QuotasReply, USE_ERRORS, WRITER_AUTH } from '../../batons/use-fields.ts'
import { identifyVisitor } from '../../batons/visitor.ts'
import { route } from '../../route.ts'

export default route({
  at: 'POST /v1/baton/{id}',
  summary: 'Write to a baton: append to a log, or replace the content of any other.',
  keywords: 'append, store, update, save, log a line',
  auth: WRITER_AUTH,
  params: BatonRef,
  body: Type.Object(
    {
      content: Type.String({ description: 'At most 3 MiB.' }),
      contentType: Type.Optional(ContentType),
      contentEncoding: Type.Optional(ContentEncoding),
      overwrite: Type.Optional(Type.Boolean({ description: 'Replace the content. Logs refuse it.' })),
    },
    { additionalProperties: false },
  ),
  reply: { status: 201, schema: Type.Object({ entry: EntryReply, quotas: QuotasReply }) },
  errors: [
    ...USE_ERRORS,
    'INVALID_BASE64',
    'INVALID_PARAM',
    'QUOTA_EXHAUSTED',
    'CHAINED_OVERWRITE',
    'INVALID_FIELD',
    'INPUT_TOO_LARGE',
    'RATE_LIMITED',
  ],
  examples: [{ title: 'Append a line', input: { content: 'Step 1 is done.\n' } }],

  async handle({ caller, params, body, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    const written = await storeContent(context, caller?.accountId ?? ANYONE, body)
    return writeBaton(context.db, by, { ...written, overwrite: body.overwrite })
  },
})

/** Bytes of a token's holder belong to no account until an entry takes them over. */
const ANYONE = '00000000-0000-0000-0000-000000000000'
