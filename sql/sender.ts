import type pg from 'pg'
import type { Sender, SenderQueue } from '#kit'
import { Connection, throwTranslated } from './db.ts'

/** The transaction includes a call to the chain's provider; the timeouts are longer than that may take. */
const BEGIN_STATEMENT = "begin; set local idle_in_transaction_session_timeout = '40s'; set local lock_timeout = '60s'"

export function openSenderQueue(url: string): SenderQueue {
  const connection = new Connection(url, 'sender')
  let last: Promise<unknown> = Promise.resolve()
  return {
    runExclusively: (sender, work) => {
      const turn = last.then(async () => inTransaction(await connection.connect(), sender, work))
      last = turn.catch(() => undefined)
      return turn
    },
    async close() {
      await last
      await connection.close()
    },
  }
}

async function inTransaction<Result>(
  client: pg.Client,
  { chainId, address }: Sender,
  work: (next: number | undefined) => Promise<{ next?: number; result: Result }>,
): Promise<Result> {
  await client.query(BEGIN_STATEMENT).catch(throwTranslated)
  try {
    const claimed = await client
      .query<{ next: bigint | null }>('select sender.claim($1, $2) as next', [chainId, address])
      .catch(throwTranslated)
    const knownNonce = claimed.rows[0]?.next ?? undefined
    const { next, result } = await work(knownNonce === undefined ? undefined : Number(knownNonce))
    if (next !== undefined) await client.query('select sender.note($1, $2, $3)', [chainId, address, next])
    await client.query('commit').catch(throwTranslated)
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
