import pg from 'pg'
import { expect, test } from 'vitest'
import { newId, type Problem } from '#kit'
import { creditAccount, readAccount } from '../../sql/account.ts'
import type { Call } from '../../sql/call.ts'
import { noteIntent, openCheckout, payCheckout, reverseCheckout } from '../../sql/checkout.ts'
import { value } from '../../sql/db.ts'
import type { Ending } from '../../sql/job.ts'
import { openWallet } from '../../sql/payment.ts'
import { linkWallet } from '../../sql/wallet.ts'
import { buildCall, openTestLedger, type TestLedger } from '../support/database/ledger.ts'
import { eventually } from '../support/machine/eventually.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const MICROS = 5_000n
const PAY = "select checkout.pay($1, 'stripe', $2, $3, null)"

/** A transaction that holds the row of an account until it is released. */
async function holdAccount(ledger: TestLedger, account: string) {
  const client = new pg.Client({ connectionString: ledger.url })
  await client.connect()
  await client.query('begin')
  await client.query('select from svc.account where id = $1 for no key update', [account])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return {
    pid: rows[0]!.pid,
    query: (text: string, values: unknown[]) => client.query(text, values),
    release: async () => {
      await client.query('commit')
      await client.end()
    },
  }
}

type HeldAccount = Awaited<ReturnType<typeof holdAccount>>

/** Waits until as many sessions of this database wait for a lock. */
function waitForBlocked(ledger: TestLedger, sessions: number): Promise<unknown> {
  const blocked = `select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return eventually(`${sessions} sessions that wait for a lock`, async () => {
    return (await value<number>(ledger.db, blocked)) === sessions
  })
}

/** Waits until a session of this database waits for a lock that the transaction of `pid` holds. */
function waitForBlockedBy({ db }: TestLedger, pid: number): Promise<unknown> {
  const blocked = 'select count(*)::int from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
  return eventually(`a session that waits for ${pid}`, async () => (await value<number>(db, blocked, [pid])) > 0)
}

/** The account of a wallet, and one that the wallet can be linked to. Accounts are locked in the order of their ids. */
async function openPair({ db }: TestLedger) {
  const [low, high] = [newId(), newId()].sort() as [string, string]
  const source = await openWallet(db, ADDRESS, low, true)
  const target = await value<string>(db, 'select account.create($1, $2, true)', [high, 'target'])
  return { source, target }
}

function open({ db }: TestLedger, accountId: string): Promise<string> {
  return openCheckout(db, { accountId, provider: 'stripe', amountMicros: MICROS })
}

function pay({ db }: TestLedger, id: string) {
  return payCheckout(db, { id, provider: 'stripe', event: `paid ${id}`, amountMicros: MICROS })
}

function reverse({ db }: TestLedger, intent: string) {
  return reverseCheckout(db, { event: 'reversed', intent, subject: 're_1', amountMicros: MICROS, isClosed: true })
}

function buildEnding({ id, accountId }: Call): Ending {
  const outcome = { status: 'succeeded' as const, chargeMicros: 1_000n, result: '{}', objects: [] }
  return { id, accountId, attempt: 1, startedAt: new Date(), outcome }
}

/**
 * Starts to link a wallet and stops it while it holds the source's row and waits for the target's. `prepare` runs when
 * the link has begun and before it holds either row.
 */
async function linkSlowly<Prepared>(
  ledger: TestLedger,
  prepare: (source: string, sourceRow: HeldAccount) => Promise<Prepared>,
) {
  const { source, target } = await openPair(ledger)
  const sourceRow = await holdAccount(ledger, source)
  const targetRow = await holdAccount(ledger, target)
  const linked = linkWallet(ledger.db, ADDRESS, target)
  await waitForBlocked(ledger, 1)
  const prepared = await prepare(source, sourceRow)
  await sourceRow.release()
  await waitForBlockedBy(ledger, targetRow.pid)
  return { source, target, prepared, linked, targetRow }
}

test('a checkout that is paid while its wallet is linked is credited to the account it moved to', async () => {
  await using ledger = await openTestLedger()
  const { source, target, prepared, linked, targetRow } = await linkSlowly(ledger, account => open(ledger, account))
  const paid = pay(ledger, prepared)
  await waitForBlocked(ledger, 2)
  await targetRow.release()
  expect(await linked).toBe(0n)
  expect(await paid).toBe('paid')
  expect(await readAccount(ledger.db, source)).toMatchObject({ balanceMicros: '0' })
  expect(await readAccount(ledger.db, target)).toMatchObject({ balanceMicros: '5000' })
})

test('a payment that is reversed while its wallet is linked is taken from the account it moved to', async () => {
  await using ledger = await openTestLedger()
  const { source, target, linked, targetRow } = await linkSlowly(ledger, async (source, sourceRow) => {
    const id = await open(ledger, source)
    await noteIntent(ledger.db, id, 'pi_1')
    await sourceRow.query(PAY, [id, `paid ${id}`, MICROS])
  })
  const reversed = reverse(ledger, 'pi_1')
  await waitForBlocked(ledger, 2)
  await targetRow.release()
  expect(await linked).toBe(MICROS)
  expect(await reversed).toBe('reversed')
  expect(await readAccount(ledger.db, source)).toMatchObject({ balanceMicros: '0' })
  expect(await readAccount(ledger.db, target)).toMatchObject({ balanceMicros: '0' })
})

test('a job that ends twice does not block the link of its wallet', async () => {
  await using ledger = await openTestLedger()
  const { source, target } = await openPair(ledger)
  for (const accountId of [source, target]) await creditAccount(ledger.db, { accountId, amountMicros: MICROS })
  const [ended, running] = [buildCall(source), buildCall(target)]
  for (const call of [ended, running]) expect(await ledger.jobs.intake(call)).toBeUndefined()
  expect(await ledger.jobs.finish(buildEnding(ended))).toBe('ended')
  const targetRow = await holdAccount(ledger, target)
  const linked = linkWallet(ledger.db, ADDRESS, target)
  await waitForBlocked(ledger, 1)
  const finished = [ended, running].map(call => ledger.jobs.finish(buildEnding(call)))
  await waitForBlocked(ledger, 2)
  await targetRow.release()
  expect(await linked).toBe(4_000n)
  expect(await Promise.all(finished)).toEqual(['late', 'ended'])
  expect(await readAccount(ledger.db, target)).toMatchObject({ balanceMicros: '8000', heldMicros: '0' })
})

test('a checkout is refused for an account whose wallet was linked to another one', async () => {
  await using ledger = await openTestLedger()
  const { source, target } = await openPair(ledger)
  const targetRow = await holdAccount(ledger, target)
  const linked = linkWallet(ledger.db, ADDRESS, target)
  await waitForBlocked(ledger, 1)
  const opened = open(ledger, source).catch((error: Problem) => error.code)
  await waitForBlocked(ledger, 2)
  await targetRow.release()
  await linked
  expect(await opened).toBe('ACCOUNT_SUSPENDED')
})
