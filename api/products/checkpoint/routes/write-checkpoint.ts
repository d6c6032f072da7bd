import { Type } from 'typebox'
import { readIdempotencyKey } from '../../../intake/call-handler.ts'
import { route } from '../../../route.ts'
import { CONDITION_HEADERS, OWNER_AUTH, OWNER_ERRORS, readExpectedVersion, withBody } from '../../lease/index.ts'
import { MAX_BODY_BYTES, requireCheckpointType } from '../body.ts'
import { CheckpointVersion, WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'
import { requireWriteRate, VERSION_ERRORS, writeVersion } from '../writing.ts'

export default route({
  at: 'PUT /api/checkpoint/{workflow_id}',
  summary:
    'Write the next version of a checkpoint; with If-Match or X-If-Version, only over the version that you have read.',
  keywords: 'update state, overwrite checkpoint, save progress again, compare-and-set',
  description:
    'Without a condition the last writer wins. A repeat with the same `Idempotency-Key` is answered as the first, as long as its version is kept.',
  auth: OWNER_AUTH,
  params: WorkflowId,
  headers: Type.Object({
    ...CONDITION_HEADERS,
    'Idempotency-Key': Type.Optional(Type.String()),
  }),
  body: Type.Unknown({ description: 'Any JSON.' }),
  streamBody: 'json',
  reply: { status: 200, schema: CheckpointVersion },
  errors: [
    ...VERSION_ERRORS,
    ...OWNER_ERRORS,
    'UNSUPPORTED_MEDIA_TYPE',
    'INVALID_IDEMPOTENCY_KEY',
    'IDEMPOTENCY_CONFLICT',
  ],
  examples: [{ title: 'Note the next step', input: { step: 4, done: ['fetch', 'parse', 'store'] } }],
  async handle({ caller: { accountId }, params, headers, request, reply }, context) {
    const workflowId = requireWorkflowId(params.workflow_id)
    const condition = readExpectedVersion(request.headers, headers['X-If-Version'])
    const idempotencyKey = readIdempotencyKey(headers['Idempotency-Key'], undefined)
    requireWriteRate(context, { accountId, workflowId })
    return withBody(context, request, MAX_BODY_BYTES, async body => {
      const contentType = requireCheckpointType(context, request.headers['content-type'], body)
      return writeVersion(context, reply, { accountId, workflowId, body, condition, idempotencyKey, contentType })
    })
  },
})
