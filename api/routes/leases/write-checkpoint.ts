import { Type } from 'typebox'
import { writeCheckpoint } from '../../../sql/lease/checkpoint.ts'
import { parseJson } from '../../intake/body/json.ts'
import { readStreamedBody } from '../../intake/body/receive.ts'
import { readIdempotencyKey } from '../../intake/idempotency.ts'
import { requireRate } from '../../intake/identity/rate-limit.ts'
import { requireWorkflowId } from '../../leases/ids.ts'
import { entityTag, readExpectedVersion } from '../../leases/version-match.ts'
import { route } from '../../route.ts'
import { CheckpointVersion, OWNER_AUTH, OWNER_ERRORS, WorkflowId } from './schema.ts'

/** No checkpoint was ever sold with more; each has its own limit below it. */
const MAX_BODY_BYTES = 8 * 2 ** 20

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
    'If-Match': Type.Optional(Type.String({ description: 'The ETag of the version to replace.' })),
    'X-If-Version': Type.Optional(
      Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The number of the version to replace.' }),
    ),
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
    const body = await readStreamedBody(request, MAX_BODY_BYTES)
    parseJson(body)
    const keep = settings.get('lease.checkpoint_versions')
    const write = { accountId, workflowId, body, ifMatch, idempotencyKey, keep }
    const { is_replay: isReplay, ...version } = await writeCheckpoint(db, write)
    if (isReplay) reply.header('idempotency-replayed', 'true')
    reply.header('etag', entityTag(version.version, version.sha256)).header('x-lease-expires-at', version.expires_at)
    return version
  },
})
