import type pg from 'pg'
import { translate } from './db.ts'
import { Line } from './line.ts'

/** A call to the chain's provider happens inside; this is longer than that may take. */
const BEGIN = "begin; set local idle_in_transaction_session_timeout = '40s'; set local lock_timeout = '60s'"

export interface Sender {
  chainId: number
  address: string
}

export interface SenderQueue {
  /**
   * Runs `work` while nobody else sends from this wallet, here or in another process. It is told the number of the next
   * transaction where one was sent lately, and says which comes next if it has sent one.
   */
  alone<Result>(
    sender: Sender,
    work: (next: number | undefined) => Promise<{ next?: number; result: Result }>,
  ): Promise<Result>
  close(): Promise<void>
}

export function openSenderQueue(url: string): SenderQueue {
  const line = new Line(url, 'sender')
  let last: Promise<unknown> = Promise.resolve()
  return {
    alone: (sender, work) => {
      const turn = last.then(async () => inTransaction(await line.connect(), sender, work))
      last = turn.catch(() => undefined)
      return turn
    },
    async close() {
      await last
      await line.close()
    },
  }
}

async function inTransaction<Result>(
  client: pg.Client,
  { chainId, address }: Sender,
  work: (next: number | undefined) => Promise<{ next?: number; result: Result }>,
): Promise<Result> {
  await client.query(BEGIN).catch(translate)
  try {
    const claimed = await client
      .query<{ next: bigint | null }>('select sender.claim($1, $2) as next', [chainId, address])
      .catch(translate)
    const known = claimed.rows[0]?.next ?? undefined
    const { next, result } = await work(known === undefined ? undefined : Number(known))
    if (next !== undefined) await client.query('select sender.note($1, $2, $3)', [chainId, address, next])
    await client.query('commit').catch(translate)
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
