import type { BarrierView } from '../../../sql/coordination/barriers.ts'
import type { ApiContext } from '../../context.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

interface BarrierWait {
  accountId: string
  name: string
  seconds: number
  reply: AnswerSink
}

/** Reads a round until it is released or expired, or the time is up. */
export function waitForBarrier(
  { longPolls, settings }: ApiContext,
  { accountId, name, seconds, reply }: BarrierWait,
  read: () => Promise<BarrierView>,
): Promise<BarrierView> {
  const options = { accountId, seconds, reply, max: settings.get('rate.waits_per_account') }
  return longPolls.until(`barrier ${accountId} ${name}`, options, async () => {
    const found = await read()
    return { found, isFinal: found.state !== 'open', changesInMs: Date.parse(found.expiresAt) - Date.now() }
  })
}
