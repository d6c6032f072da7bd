import { CoinopError } from '../errors.ts'
import type { CallOptions, Ticket } from '../types.ts'
import { Interruption } from './usage.ts'

/** Soon enough that an interrupted call has a ticket, by which it can be cancelled. */
const WAIT_SECONDS = 2
const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const CANCEL_WITHIN_MS = 10_000

type Interruptible = Pick<CallOptions, 'signal' | 'waitSeconds' | 'onTicket'>

/** Makes a call that a signal cancels. A second signal ends the process at once. */
export async function untilInterrupted<Result>(call: (options: Interruptible) => Promise<Result>): Promise<Result> {
  const stopping = new AbortController()
  let ticket: Ticket<unknown> | undefined
  let received: NodeJS.Signals | undefined
  const interrupt = (name: NodeJS.Signals) => {
    stopListening()
    received = name
    stopping.abort()
  }
  const stopListening = () => {
    for (const name of SIGNALS) process.off(name, interrupt)
  }
  for (const name of SIGNALS) process.on(name, interrupt)
  try {
    return await call({
      signal: stopping.signal,
      waitSeconds: WAIT_SECONDS,
      onTicket: given => {
        ticket = given
      },
    })
  } catch (error) {
    if (received === undefined) throw error
    throw new Interruption(await cancel(ticket), received)
  } finally {
    stopListening()
  }
}

async function cancel(ticket: Ticket<unknown> | undefined): Promise<string> {
  if (ticket === undefined)
    return 'interrupted before there was an answer. A call that the service has got may go on and be charged: coinop jobs list'
  try {
    await ticket.cancel({ timeoutMs: CANCEL_WITHIN_MS })
    return `interrupted. The job ${ticket.id} is cancelled and costs nothing.`
  } catch (error) {
    if (error instanceof CoinopError && error.code === 'JOB_FINISHED')
      return `interrupted, but the job had ended: coinop jobs read ${ticket.id}`
    return `interrupted, but the job could not be cancelled and may be charged: coinop jobs read ${ticket.id}`
  }
}
