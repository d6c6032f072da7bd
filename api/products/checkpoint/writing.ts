import { Problem, type ProblemCode } from '#kit'
import { writeCheckpoint } from '../../../sql/checkpoint/versions.ts'
import type { ApiContext } from '../../context.ts'
import { requireRate } from '../../intake/identity/rate-limit.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'
import { entityTag } from '../lease/index.ts'

/** Problems of everything that writes the next version of a checkpoint. */
export const VERSION_ERRORS = [
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
  'RATE_LIMITED',
] as const satisfies readonly ProblemCode[]

type Write = Omit<Parameters<typeof writeCheckpoint>[1], 'keep'>

export function requireWriteRate(
  context: ApiContext,
  { accountId, workflowId }: Pick<Write, 'accountId' | 'workflowId'>,
) {
  const perMinute = context.settings.get('rate.checkpoint_writes_per_minute')
  requireRate(context, `checkpoint write:${accountId}:${workflowId}`, perMinute)
}

/** Writes the next version and tells its tag and its end in the headers. */
export async function writeVersion({ db, settings }: ApiContext, reply: AnswerSink, write: Write) {
  const keep = settings.get('lease.checkpoint_versions')
  const { is_replay: isReplay, ...version } = await writeCheckpoint(db, { ...write, keep }).catch(nameFirstCall)
  if (isReplay) reply.header('idempotency-replayed', 'true')
  reply.header('etag', entityTag(version.version, version.sha256)).header('x-lease-expires-at', version.expires_at)
  return version
}

/** Who begins a run finds nothing to write to. */
function nameFirstCall(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error
  throw new Problem('NOT_FOUND', {
    reason: 'a checkpoint is made once by leases.create-checkpoint (POST /api/checkpoint), then written',
  })
}
