import { Type } from 'typebox'
import { newId } from '#kit'
import { buyCheckpoint } from '../../../../sql/checkpoint/versions.ts'
import type { Settings } from '../../../../sql/setting.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describeLeasePrice,
  holdBody,
  PURCHASE_HEADERS,
  priceLease,
  requireAtMost,
  requireDuration,
  showLeasePrice,
  tellEnd,
} from '../../lease/index.ts'
import { requireCheckpointType } from '../body.ts'
import { CheckpointCreated } from '../schema.ts'
import { requireWorkflowId } from '../workflow-id.ts'

interface CheckpointHeaders {
  'X-Workflow-Id': string
  'X-Max-Body-Bytes': number
  'X-Duration-Seconds': number
}

/** What a checkpoint is to be like by its headers. */
function planCheckpoint(settings: Settings, headers: CheckpointHeaders) {
  const workflowId = requireWorkflowId(headers['X-Workflow-Id'])
  const seconds = requireDuration(settings, headers['X-Duration-Seconds'])
  const ceiling = settings.get('lease.checkpoint_bytes')
  return {
    workflowId,
    seconds,
    maxBodyBytes: requireAtMost('X-Max-Body-Bytes', headers['X-Max-Body-Bytes'], 1, ceiling),
  }
}

export default route({
  at: 'POST /api/checkpoint',
  summary: 'Keep the JSON state of a workflow under a name of your choice. The body is the first version.',
  keywords:
    'save state, save progress, checkpoint, snapshot of an agent, agent memory, key value, save the step where a job is, update only if nobody else changed it',
  description:
    'Paid once, by `X-Max-Body-Bytes` and `X-Duration-Seconds`; reading and writing cost nothing more. When the time is over everything is deleted and reads are answered with 410. It cannot be extended, and deleting it early gives no money back.',
  auth: BILLABLE_AUTH,
  headers: Type.Object({
    'X-Workflow-Id': Type.String({ description: 'Up to 128 letters, digits and `._-`.', examples: ['order-7'] }),
    'X-Max-Body-Bytes': Type.Integer({ minimum: 1, default: 65_536, description: 'The largest body of any version.' }),
    ...PURCHASE_HEADERS,
  }),
  body: Type.Unknown({ description: 'Any JSON.' }),
  streamBody: 'json',
  reply: { status: 201, schema: CheckpointCreated, dryRun: DryRun },
  price: describeLeasePrice('checkpoint'),
  errors: [
    'INVALID_WORKFLOW_ID',
    'WORKFLOW_ID_IN_USE',
    'EMPTY_BODY',
    'UNSUPPORTED_MEDIA_TYPE',
    'INVALID_JSON',
    'INVALID_PARAM',
    'MISSING_FIELD',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
  ],
  examples: [{ title: 'Keep how far a workflow has come', input: { step: 3, done: ['fetch', 'parse'] } }],
  quote({ headers }, { settings }) {
    const { maxBodyBytes, seconds } = planCheckpoint(settings, headers)
    return priceLease(settings, 'checkpoint', maxBodyBytes, seconds)
  },
  showPrice: (amountMicros, { headers }) =>
    showLeasePrice(amountMicros, {
      max_body_bytes: headers['X-Max-Body-Bytes'],
      duration_seconds: headers['X-Duration-Seconds'],
    }),
  async receive({ request, headers }, context) {
    const { body, release } = await holdBody(context, request, headers['X-Max-Body-Bytes'])
    try {
      const contentType = requireCheckpointType(context, request.headers['content-type'], body)
      return { value: { body, contentType }, digest: body, release }
    } catch (error) {
      release()
      throw error
    }
  },
  settles: true,
  handle: ({ headers, content, job }, { db, settings }) =>
    buyCheckpoint(db, job!, { id: newId(), ...planCheckpoint(settings, headers), ...content }),
  describeResult: tellEnd,
})
