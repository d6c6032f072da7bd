import type { Floor } from '../../api/floor.ts'
import { rows } from '../../sql/db.ts'

type Open = { id: string; account_id: string; held_micros: bigint }

/** In the place of a worker: says the same price of everything, and does everything in no time. */
export function workOnPaper({ db, jobs, waiters }: Floor, priceMicros: bigint) {
  let probed = 0
  let isStopping = false

  async function end({ id, account_id: accountId, held_micros: held }: Open): Promise<void> {
    if (held === 0n) probed++
    const quote = { quote: { amountMicros: String(priceMicros), units: 30 } }
    const result = JSON.stringify(held === 0n ? quote : { output: null })
    const outcome = { status: 'succeeded' as const, chargeMicros: held, result, objects: [] }
    await jobs.finish({ id, accountId, attempt: 1, startedAt: new Date(), outcome })
  }

  async function work(): Promise<void> {
    while (!isStopping) {
      const open = "select id, account_id, held_micros from svc.job where status = 'submitted'"
      for (const job of await rows<Open>(db, open)) await end(job)
      waiters.catchUp()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  const done = work()
  return {
    probed: () => probed,
    stop: () => {
      isStopping = true
      return done
    },
  }
}
