import { hasMark, type Lane, laneOf, mapSecrets, type Payload, SECRET_RULE } from '#kit'
import { seal } from '../../ops/secrets.ts'
import type { Floor } from '../floor.ts'
import type { Submission } from './submit.ts'

/** What the worker gets of a call, and where and how long it waits for one. */
export async function payloadOf(
  { settings, config }: Floor,
  { operation, caller, staged, inputBytes, options, hold, isDryRun, isAsync }: Submission,
  id: string,
  amountMicros: bigint,
): Promise<{ payload: Payload; lane: Lane; seconds: number }> {
  const limitSeconds = operation.limitSeconds ?? settings.get(timeoutOf(operation, isAsync))
  const seconds = limitSeconds + settings.get('cputools.exec.queue_timeout_s')
  const createdAt = Date.now()
  await staged.settle()
  const payload: Payload = {
    id,
    accountId: caller.accountId,
    operation: operation.name,
    input: hasMark(SECRET_RULE, operation.input)
      ? await mapSecrets(operation.input, staged.input, secret => seal(config.secret, secret, id))
      : staged.input,
    inputBytes,
    options,
    heldMicros: amountMicros.toString(),
    rateMicros: hold.rateMicros?.toString(),
    isDryRun: isDryRun || undefined,
    limitSeconds,
    createdAt,
    deadlineAt: createdAt + seconds * 1_000,
  }
  return { payload, lane: laneOf(operation.uses), seconds }
}

/** One picture that takes longer than this is not what its caller waits for. */
function timeoutOf({ family, uses }: Submission['operation'], isAsync: boolean) {
  if (isAsync) return 'cputools.exec.async_timeout_s'
  const isPicture = family === 'image' && laneOf(uses) === 'native'
  return isPicture ? 'cputools.exec.image_timeout_s' : 'cputools.exec.sync_timeout_s'
}
