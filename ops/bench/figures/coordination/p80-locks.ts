import { randomUUID } from 'node:crypto'
import { type DbPool, openDb, rows } from '../../../../sql/db.ts'
import type { Bench, Figure } from '../../figure.ts'
import { openStack, type Stack } from '../../stack.ts'
import { openSender } from './requests.ts'

const HOLDERS = 32

/** The floor takes and frees a row of a bare table, each with its own commit, without HTTP, a price or a token. */
export default {
  id: 'P80',
  title: 'locks taken and given back per second, over two bare statements with a commit each',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    const senders = Array.from({ length: HOLDERS }, (_, index) => openSender(stack, index))
    const ours = await countPairs(bench, index => takeAndRelease(senders[index]!, index))
    for (const sender of senders) sender[Symbol.dispose]()
    await requireAllReleased(stack)
    const floor = await measureFloor(bench, stack)
    return [
      {
        label: `pairs of ${HOLDERS} holders`,
        unit: 'pairs/s',
        ours,
        floor,
        goal: { atLeast: 1_000 },
        judgedBy: 'ours',
        limitedBy: 'the ledger: a lock is paid, taken and given back in three transactions, shared by those at once',
      },
    ]
  },
} satisfies Figure

/** Each holder does one pair after the other. */
async function countPairs({ profile }: Bench, doPair: (index: number) => Promise<void>): Promise<number> {
  const run = async (seconds: number) => {
    let pairs = 0
    const startedAt = performance.now()
    const endAt = startedAt + seconds * 1_000
    await Promise.all(
      Array.from({ length: HOLDERS }, async (_, index) => {
        for (; performance.now() < endAt; pairs++) await doPair(index)
      }),
    )
    return pairs / ((performance.now() - startedAt) / 1_000)
  }
  await run(profile.warmUpSeconds)
  return run(profile.seconds)
}

async function takeAndRelease({ send }: ReturnType<typeof openSender>, index: number): Promise<void> {
  const { status, body } = await send('POST', `locks/lock-${index}`, { ttlSeconds: 60 })
  if (status !== 201) throw new Error(`a lock was not taken: ${JSON.stringify(body)}`)
  const released = await send('DELETE', `locks/lock-${index}?token=${String(body.token)}`)
  if (released.status !== 200) throw new Error(`a lock was not released: ${JSON.stringify(released.body)}`)
}

async function requireAllReleased({ db }: Stack): Promise<void> {
  const query = 'select count(*) as held from svc.coordination_lock where expires_at > now()'
  const [left] = await rows<{ held: bigint }>(db, query)
  if (left!.held > 0n) throw new Error(`${left!.held} locks were not given back`)
}

async function measureFloor(bench: Bench, { databaseUrl, db }: Stack): Promise<number> {
  await rows(db, 'create table public.bare_lock (name text primary key, token uuid, expires_at timestamptz)')
  const pool: DbPool = openDb(databaseUrl, { name: 'bench floor', size: 8 })
  const take = `insert into public.bare_lock as l values ($1, $2, now() + interval '1 minute') on conflict (name) do update
    set token = excluded.token, expires_at = excluded.expires_at where l.expires_at <= now()`
  const release = 'update public.bare_lock set expires_at = now() where name = $1 and token = $2'
  try {
    return await countPairs(bench, async index => {
      const hold = [`lock-${index}`, randomUUID()]
      await rows(pool, take, hold)
      await rows(pool, release, hold)
    })
  } finally {
    await pool.end()
  }
}
