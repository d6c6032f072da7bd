import { type Db, value } from '../db.ts'

/** When the next request to a provider may be sent, in milliseconds from now; undefined if it is too long until then. */
export async function takeTurn(
  db: Db,
  provider: string,
  { perSecond, maxWaitMs }: { perSecond: number; maxWaitMs: number },
): Promise<number | undefined> {
  const waitMs = await value<number | null>(db, 'select provider.take_turn($1, $2, $3)', [
    ...[provider, 1_000 / perSecond, maxWaitMs],
  ])
  return waitMs ?? undefined
}

/** What a provider answered before, if it is kept. */
export function recallAnswer(db: Db, key: string): Promise<unknown> {
  return value(db, 'select provider.recall($1)', [key])
}

export async function keepAnswer(db: Db, { key, answer, days }: { key: string; answer: unknown; days: number }) {
  await value(db, 'select provider.keep($1, $2, $3)', [key, JSON.stringify(answer), days])
}
