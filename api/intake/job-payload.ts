import { hasMark, type JobPayload, type Lane, laneOf, mapSecrets, SECRET_RULE, toPlainRates } from '#kit'
import { seal } from '../../ops/secrets.ts'
import { currentTraceparent } from '../../ops/tracing/trace.ts'
import type { ApiContext } from '../context.ts'
import type { Billable } from './billable.ts'
import type { PricedCall } from './call.ts'
import type { Caller } from './identity/caller.ts'

type QueuedCall = Pick<
  PricedCall,
  'billable' | 'staged' | 'inputBytes' | 'options' | 'delivery' | 'hold' | 'isDryRun' | 'isAsync'
> & { caller: Pick<Caller, 'accountId'> }

/** What the worker gets of a call, and where and how long it waits for one. */
export async function buildPayload(
  { settings, config, availability, clock }: ApiContext,
  { billable, caller, staged, inputBytes, options, delivery, hold, isDryRun, isAsync }: QueuedCall,
  id: string,
  amountMicros: bigint,
): Promise<{ payload: JobPayload; lane: Lane; seconds: number }> {
  const limitSeconds = billable.limitSeconds ?? settings.get(timeoutSetting(billable, isAsync))
  const seconds = limitSeconds + settings.get('cputools.exec.queue_timeout_s')
  const createdAt = Date.now() - clock.aheadMs
  const lane = availability.laneOf(billable)
  const input = await staged.settle()
  const payload: JobPayload = {
    id,
    accountId: caller.accountId,
    operation: billable.name,
    ...(billable.version !== undefined && { version: billable.version }),
    input: hasMark(SECRET_RULE, billable.input)
      ? await mapSecrets(billable.input, input, secret => seal(config.secret, secret, id))
      : input,
    inputBytes,
    options,
    delivery,
    heldMicros: amountMicros.toString(),
    ceilingMicros: hold.ceilingMicros.toString(),
    ...toPlainRates(hold.rates),
    isDryRun: isDryRun || undefined,
    ...(lane !== laneOf(billable.uses) && { lane }),
    limitSeconds,
    createdAt,
    deadlineAt: createdAt + seconds * 1_000,
    ...currentTraceparent(),
  }
  return { payload, lane, seconds }
}

/** A caller does not wait long for one image. */
function timeoutSetting({ family, uses }: Billable, isAsync: boolean) {
  if (isAsync) return 'cputools.exec.async_timeout_s'
  const isImage = family === 'image' && laneOf(uses) === 'native'
  return isImage ? 'cputools.exec.image_timeout_s' : 'cputools.exec.sync_timeout_s'
}
