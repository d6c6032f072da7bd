import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { useAfterUpload } from '../../../../ops/products/baton/uploads.ts'
import type { WrittenEntry } from '../../../../sql/baton/lifecycle.ts'
import { readIdempotencyKey } from '../../../intake/call-handler.ts'
import { readCondition } from '../../../intake/conditions.ts'
import { route } from '../../../route.ts'
import { storeContent } from '../content.ts'
import {
  BATON_TAG,
  BatonRef,
  CONDITION_HEADERS,
  EntryReply,
  QuotasReply,
  USE_ERRORS,
  WRITER_AUTH,
} from '../fields/access.ts'
import { ContentEncoding, ContentType } from '../fields/create.ts'
import { identifyVisitor } from '../visitor.ts'

export default route({
  at: 'POST /v1/baton/{id}',
  summary:
    'Write to a baton: append to a log, or replace the content of any other. An operation writes its own result by `deliver: {batonId}`.',
  keywords:
    'append, store, update, save, log a line, write the result of a call into a baton, put the output of an operation into a baton, deliver',
  auth: WRITER_AUTH,
  params: BatonRef,
  headers: Type.Object({
    ...CONDITION_HEADERS,
    'If-None-Match': Type.Optional(Type.String({ description: '`*`: write only if it has no entry.' })),
    'Idempotency-Key': Type.Optional(
      Type.String({
        description: 'A repeat by the same writer within 24 hours gets the first entry and writes nothing.',
      }),
    ),
  }),
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
    'PRESET_MISMATCH',
    'VERSION_CONFLICT',
    'QUOTA_EXHAUSTED',
    'CHAINED_OVERWRITE',
    'BATON_FROZEN',
    'INVALID_FIELD',
    'INPUT_TOO_LARGE',
    'RATE_LIMITED',
    'INVALID_IDEMPOTENCY_KEY',
    'IDEMPOTENCY_CONFLICT',
  ],
  examples: [{ title: 'Append a line', input: { content: 'Step 1 is done.\n' } }],

  async handle({ caller, params, body, headers, request, reply }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    const given = headers['Idempotency-Key']
    const key = given === undefined ? undefined : readIdempotencyKey(given, undefined)
    const isConditional = headers['If-Match'] !== undefined || headers['If-None-Match'] !== undefined
    const condition = isConditional ? readCondition(request.headers, BATON_TAG) : undefined
    const written = await storeContent(context, caller?.accountId ?? ANYONE, body)
    const entry = { ...written, overwrite: body.overwrite }
    const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprint(entry) }
    const { isReplay, ...answer } = await useAfterUpload(context, by, visitor =>
      context.batons.write(visitor, { ...entry, condition, idempotency }),
    )
    if (isReplay) reply.header('idempotency-replayed', 'true')
    return answer
  },
})

function fingerprint({ sha256, type, text, overwrite = false }: WrittenEntry): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, type, text, overwrite]))
    .digest('hex')
}

/** Bytes of a token's holder belong to no account until an entry takes them over. */
const ANYONE = '00000000-0000-0000-0000-000000000000'
