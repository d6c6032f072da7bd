import { Type } from 'typebox'
import { newId } from '#kit'
import { createCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describePurchase,
  LEASE_TERMS,
  OWNER_AUTH,
  OWNER_ERRORS,
  PURCHASE_ERRORS,
  PURCHASE_HEADERS,
  priceLease,
  readPurchase,
  replyPrice,
  requireAtMost,
  requireDuration,
  withBody,
} from '../../lease/index.ts'
import { requireCheckpointType } from '../body.ts'
import { CheckpointCreated } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

export default route({
  at: 'POST /api/checkpoint',
  summary: 'Keep the JSON state of a workflow under a name of your choice. The body is the first version.',
  keywords: 'save state, save progress, checkpoint, snapshot of an agent, agent memory, key value',
  description:
    'Paid once, by `X-Max-Body-Bytes` and `X-Duration-Seconds`; reading and writing cost nothing more. When the time is over everything is deleted and reads are answered with 410. It cannot be extended, and deleting it early gives no money back.',
  auth: OWNER_AUTH,
  headers: Type.Object({
    'X-Workflow-Id': Type.String({ description: 'Up to 128 characters of A-Z a-z 0-9 . _ -', examples: ['order-7'] }),
    'X-Max-Body-Bytes': Type.Integer({ minimum: 1, default: 65_536, description: 'The largest body of any version.' }),
    ...PURCHASE_HEADERS,
  }),
  body: Type.Unknown({ description: 'Any JSON.' }),
  streamBody: 'json',
  reply: { status: 201, schema: CheckpointCreated, dryRun: DryRun },
  terms: LEASE_TERMS,
  errors: [
    'INVALID_WORKFLOW_ID',
    'WORKFLOW_ID_IN_USE',
    'EMPTY_BODY',
    'INVALID_JSON',
    'INVALID_PARAM',
    'MISSING_FIELD',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    ...PURCHASE_ERRORS,
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'Keep how far a workflow has come', input: { step: 3, done: ['fetch', 'parse'] } }],
  async handle({ caller, headers, request, reply }, context) {
    const { db, settings } = context
    const workflowId = requireWorkflowId(headers['X-Workflow-Id'])
    const seconds = requireDuration(settings, headers['X-Duration-Seconds'])
    const ceiling = settings.get('lease.checkpoint_bytes')
    const maxBodyBytes = requireAtMost('X-Max-Body-Bytes', headers['X-Max-Body-Bytes'], 1, ceiling)
    const price = priceLease(settings, 'checkpoint', maxBodyBytes, seconds)
    if (headers['X-Dry-Run'])
      return replyPrice(reply, price, { max_body_bytes: maxBodyBytes, duration_seconds: seconds })
    return withBody(context, request, maxBodyBytes, async body => {
      const contentType = requireCheckpointType(context, request.headers['content-type'], body)
      const terms = JSON.stringify([workflowId, seconds, maxBodyBytes])
      const call = describePurchase({ caller, request }, 'leases.create-checkpoint', price, [terms, body])
      const lease = { id: newId(), workflowId, maxBodyBytes, seconds, body, contentType }
      const created = readPurchase(reply, call, await createCheckpoint(db, call, lease))
      reply.header('x-lease-expires-at', created.expires_at)
      return created
    })
  },
})
