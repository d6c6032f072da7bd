import { Type } from 'typebox'
import { Problem } from '#kit'
import { readCheckpoint, writeCheckpoint } from '../../../sql/lease/checkpoint.ts'
import { parseJson } from '../../intake/body/json.ts'
import { requireRate } from '../../intake/identity/rate-limit.ts'
import { MAX_BODY_BYTES, mergePatch, parseDocument } from '../../leases/checkpoint-body.ts'
import { requireWorkflowId } from '../../leases/ids.ts'
import { withBody } from '../../leases/memory.ts'
import { entityTag, readExpectedVersion } from '../../leases/version-match.ts'
import { route } from '../../route.ts'
import { CheckpointVersion, CONDITION_HEADERS, OWNER_AUTH, OWNER_ERRORS, WorkflowId } from './schema.ts'

/** Another writer may come between reading and writing so often. */
const MAX_TRIES = 10

export default route({
  at: 'PATCH /api/checkpoint/{workflow_id}',
  summary: 'Change some fields of a checkpoint by a JSON merge patch (RFC 7396), which makes its next version.',
  keywords: 'checkpoint update partial merge patch',
  description:
    'In the patch, null removes a field, an object changes the fields of one, and anything else replaces. Numbers are kept as 64-bit floating-point numbers. The same conditions as for PUT apply.',
  auth: OWNER_AUTH,
  params: WorkflowId,
  headers: Type.Object(CONDITION_HEADERS),
  body: Type.Unknown({ description: 'The merge patch.' }),
  streamBody: true,
  tool: false,
  reply: { status: 200, schema: CheckpointVersion },
  errors: [
    'INVALID_WORKFLOW_ID',
    'EMPTY_BODY',
    'INVALID_JSON',
    'INVALID_PARAM',
    'CONFLICTING_OPTIONS',
    'NOT_FOUND',
    'VERSION_CONFLICT',
    'GONE',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'UNSUPPORTED_MEDIA_TYPE',
    'RATE_LIMITED',
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'Note the next step', input: { step: 5 } }],
  async handle({ caller: { accountId }, params, headers, request, reply }, context) {
    const workflowId = requireWorkflowId(params.workflow_id)
    const ifMatch = readExpectedVersion(headers['If-Match'], headers['X-If-Version'])
    const { db, settings } = context
    const perMinute = settings.get('rate.checkpoint_writes_per_minute')
    requireRate(context, `checkpoint write:${accountId}:${workflowId}`, perMinute)
    const patch = await withBody(context, request, MAX_BODY_BYTES, async body => parseJson(body))
    const keep = settings.get('lease.checkpoint_versions')
    for (let tries = 1; ; tries++) {
      const found = await readCheckpoint(db, accountId, workflowId, undefined)
      const merged = mergePatch(parseDocument(found.content_type, found.body), patch)
      const body = Buffer.from(JSON.stringify(merged))
      const expected = ifMatch.version === undefined ? { version: found.version } : ifMatch
      const write = { accountId, workflowId, body, ifMatch: expected, idempotencyKey: undefined, keep }
      try {
        const version = await writeCheckpoint(db, { ...write, contentType: 'application/json' })
        reply
          .header('etag', entityTag(version.version, version.sha256))
          .header('x-lease-expires-at', version.expires_at)
        return version
      } catch (error) {
        const wasOvertaken = error instanceof Problem && error.code === 'VERSION_CONFLICT'
        if (!wasOvertaken || ifMatch.version !== undefined || tries === MAX_TRIES) throw error
      }
    }
  },
})
