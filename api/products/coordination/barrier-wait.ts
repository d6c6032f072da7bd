import type { BarrierView } from '../../../sql/coordination/barriers.ts'
import type { ApiContext } from '../../context.ts'
import type { AnswerSink } from '../../intake/reply/sink.ts'

interface BarrierWait {
  /** The account that waits, which may be another than the one that has the name. */
  waiter: string
  accountId: string
  name: string
  seconds: number
  reply: AnswerSink
}

/** Reads a round until it is released or expired, or the time is up. */
export function waitForBarrier(
  { clock, longPolls, settings }: ApiContext,
  { waiter, accountId, name, seconds, reply }: BarrierWait,
  read: () => Promise<BarrierView>,
): Promise<BarrierView> {
  const options = { accountId: waiter, seconds, reply, max: settings.get('rate.waits_per_account') }
  return longPolls.until(`barrier ${accountId} ${name}`, options, async () => {
    const found = await read()
    return { found, isFinal: found.state !== 'open', changesInMs: Date.parse(found.expiresAt) - clock.now() }
  })
}
