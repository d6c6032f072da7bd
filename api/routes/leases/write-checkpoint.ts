import { Type } from 'typebox'
import { writeCheckpoint } from '../../../sql/lease/checkpoint.ts'
import { readIdempotencyKey } from '../../intake/idempotency.ts'
import { requireRate } from '../../intake/identity/rate-limit.ts'
import { MAX_BODY_BYTES, requireCheckpointType } from '../../leases/checkpoint-body.ts'
import { requireWorkflowId } from '../../leases/ids.ts'
import { withBody } from '../../leases/memory.ts'
import { entityTag, readExpectedVersion } from '../../leases/version-match.ts'
import { route } from '../../route.ts'
import { CheckpointVersion, CONDITION_HEADERS, OWNER_AUTH, OWNER_ERRORS, WorkflowId } from './schema.ts'

export default route({
  at: 'PUT /api/checkpoint/{workflow_id}',
  summary:
    'Write the next version of a checkpoint; with If-Match or X-If-Version, only over the version that you have read.',
  keywords: 'checkpoint update overwrite state compare-and-set',
  description:
    'Without a condition the last writer wins. A repeat with the same `Idempotency-Key` is answered as the first, as long as its version is kept.',
  auth: OWNER_AUTH,
  params: WorkflowId,
  headers: Type.Object({
    ...CONDITION_HEADERS,
    'Idempotency-Key': Type.Optional(Type.String()),
  }),
  body: Type.Unknown({ description: 'Any JSON.' }),
  streamBody: true,
  tool: false,
  reply: { status: 200, schema: CheckpointVersion },
  errors: [
    'INVALID_WORKFLOW_ID',
    'EMPTY_BODY',
    'INVALID_JSON',
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'INVALID_IDEMPOTENCY_KEY',
    'IDEMPOTENCY_CONFLICT',
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'GONE',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'RATE_LIMITED',
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'Note the next step', input: { step: 4, done: ['fetch', 'parse', 'store'] } }],
  async handle({ caller: { accountId }, params, headers, request, reply }, context) {
    const workflowId = requireWorkflowId(params.workflow_id)
    const ifMatch = readExpectedVersion(headers['If-Match'], headers['X-If-Version'])
    const idempotencyKey = readIdempotencyKey(headers['Idempotency-Key'], undefined)
    const { db, settings } = context
    requireRate(
      context,
      `checkpoint write:${accountId}:${workflowId}`,
      settings.get('rate.checkpoint_writes_per_minute'),
    )
    return withBody(context, request, MAX_BODY_BYTES, async body => {
      const contentType = requireCheckpointType(context, request.headers['content-type'], body)
      const keep = settings.get('lease.checkpoint_versions')
      const write = { accountId, workflowId, body, ifMatch, idempotencyKey, keep, contentType }
      const { is_replay: isReplay, ...version } = await writeCheckpoint(db, write)
      if (isReplay) reply.header('idempotency-replayed', 'true')
      reply.header('etag', entityTag(version.version, version.sha256)).header('x-lease-expires-at', version.expires_at)
      return version
    })
  },
})
