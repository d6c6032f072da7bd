import { quoteOf } from '#kit'
import type { ApiContext } from '../../../api/context.ts'
import { rows } from '../../../sql/db.ts'

const TARIFF = { unit: 'call', baseMicros: 0n, units: 1, expectedUnits: 1 }

/** As `pdf.rotate` answers. */
const RESULT = { output: { inline: '', sizeBytes: 0, contentType: 'application/pdf' }, rotatedPages: 1 }

type OpenJob = { id: string; account_id: string; held_micros: bigint }

/** Replaces the worker: it quotes the same price for every job and finishes every job at once. */
export function startFakeWorker({ db, jobs, waiters }: ApiContext, priceMicros: bigint, answer: object = RESULT) {
  let probeCount = 0
  let isStopping = false

  async function finishJob({ id, account_id: accountId, held_micros: held }: OpenJob): Promise<void> {
    if (held === 0n) probeCount++
    const quote = { quote: quoteOf({ ...TARIFF, rateMicros: priceMicros }) }
    const result = JSON.stringify(held === 0n ? quote : answer)
    const outcome = { status: 'succeeded' as const, chargeMicros: held, result, objects: [] }
    await jobs.finish({ id, accountId, attempt: 1, startedAt: new Date(), outcome })
  }

  async function runLoop(): Promise<void> {
    while (!isStopping) {
      const query = "select id, account_id, held_micros from svc.job where status = 'submitted'"
      for (const job of await rows<OpenJob>(db, query)) await finishJob(job)
      waiters.readMissed()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  const done = runLoop()
  return {
    probed: () => probeCount,
    stop: () => {
      isStopping = true
      return done
    },
  }
}
