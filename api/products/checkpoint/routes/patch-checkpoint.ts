import { Type } from 'typebox'
import { Problem } from '#kit'
import { readCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import {
  CONDITION_HEADERS,
  OWNER_AUTH,
  OWNER_ERRORS,
  readExpectedVersion,
  requireVersion,
  withBody,
} from '../../lease/index.ts'
import { MAX_BODY_BYTES, mergePatch, parseDocument, parsePatch } from '../body.ts'
import { CheckpointVersion, WorkflowId } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'
import { requireWriteRate, VERSION_ERRORS, writeVersion } from '../writing.ts'

/** Another writer may come between reading and writing so often. */
const MAX_TRIES = 10

export default route({
  at: 'PATCH /api/checkpoint/{workflow_id}',
  summary: 'Change some fields of a checkpoint by a JSON merge patch (RFC 7396), which makes its next version.',
  keywords: 'update one field, partial update of state, merge patch, change part of a checkpoint',
  description:
    'In the patch, null removes a field, an object changes the fields of one, and anything else replaces. Numbers keep their digits. The same conditions as for PUT apply.',
  auth: OWNER_AUTH,
  params: WorkflowId,
  headers: Type.Object(CONDITION_HEADERS),
  body: Type.Unknown({ description: 'The merge patch.' }),
  streamBody: 'json',
  reply: { status: 200, schema: CheckpointVersion },
  errors: [...VERSION_ERRORS, ...OWNER_ERRORS, 'UNSUPPORTED_MEDIA_TYPE'],
  examples: [{ title: 'Note the next step', input: { step: 5 } }],
  async handle({ caller: { accountId }, params, headers, request, reply }, context) {
    const workflowId = requireWorkflowId(params.workflow_id)
    const condition = readExpectedVersion(request.headers, headers['X-If-Version'])
    requireWriteRate(context, { accountId, workflowId })
    const patch = await withBody(context, request, MAX_BODY_BYTES, async body => parsePatch(body))
    for (let tries = 1; ; tries++) {
      const found = await readCheckpoint(context.db, accountId, workflowId, undefined)
      requireVersion(condition, found)
      const merged = mergePatch(parseDocument(found.content_type, found.body), patch)
      const body = Buffer.from(JSON.stringify(merged))
      const isUnchanged = { match: [`v${found.version}`] }
      const write = { accountId, workflowId, body, condition: isUnchanged, idempotencyKey: undefined }
      try {
        return await writeVersion(context, reply, { ...write, contentType: 'application/json' })
      } catch (error) {
        const wasOvertaken = error instanceof Problem && error.code === 'VERSION_CONFLICT'
        if (!wasOvertaken || tries === MAX_TRIES) throw error
      }
    }
  },
})
