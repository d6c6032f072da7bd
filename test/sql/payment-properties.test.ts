import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { creditAccount } from '../../sql/account.ts'
import type { CallPayment } from '../../sql/call.ts'
import { rows } from '../../sql/db.ts'
import { cancelJob, raiseHold } from '../../sql/job.ts'
import {
  chunkFailed,
  chunkSettled,
  chunkUnknown,
  claim,
  listLostChunks,
  openWallet,
  takeDueChunks,
} from '../../sql/payment.ts'
import { type Books, callOf, openBooks } from '../support/books.ts'

type Step =
  | { kind: 'pay' | 'prepay'; who: number; price: number; way: 'instant' | 'intake'; nonce: number; key: boolean }
  | { kind: 'settle' | 'fail' | 'doubt'; at: number }
  | { kind: 'finish' | 'break' | 'cancel' | 'raise'; job: number; micros: number }
  | { kind: 'call' | 'credit'; who: number; micros: number }

const micros = fc.integer({ min: 1, max: 14_000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('pay' as const, 'prepay' as const),
      who: fc.nat(1),
      price: fc.constantFrom(1_000, 3_000, 9_999, 10_000, 12_000),
      way: fc.constantFrom('instant' as const, 'intake' as const),
      nonce: fc.nat(150),
      key: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('settle' as const, 'fail' as const, 'doubt' as const),
      at: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('finish' as const, 'break' as const, 'cancel' as const, 'raise' as const),
      job: fc.nat(20),
      micros,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('call' as const, 'credit' as const), who: fc.nat(1), micros }),
  },
)

interface Telling {
  books: Books
  wallets: { address: string; accountId: string }[]
  taken: { id: string; accountId: string }[]
}

const ASSETS = ['0x036cbd53842c5426634e7929541ec2318f3dcf7e', '0x808456652fdb597867f38412077a9182bf77359f']

function paymentOf({ address }: { address: string }, nonce: number, value: number): CallPayment {
  return {
    chainId: 84_532,
    asset: ASSETS[nonce % 2]!,
    symbol: nonce % 2 ? 'EURC' : 'USDC',
    payer: address,
    nonce: `0x${nonce.toString(16).padStart(64, '0')}`,
    valueMicros: BigInt(value),
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 300),
    fingerprint: Buffer.alloc(32, nonce % 3),
    chunk: { id: newId(), sealed: 'sealed' },
  }
}

async function play(telling: Telling, what: Step): Promise<void> {
  const { books, wallets, taken } = telling
  switch (what.kind) {
    case 'pay':
    case 'prepay':
      return pay(telling, what)
    case 'settle':
    case 'fail':
    case 'doubt':
      return end(books, what)
    case 'credit':
      await creditAccount(books.db, { accountId: wallets[what.who]!.accountId, amountMicros: BigInt(what.micros) })
      return
    case 'call': {
      const call = callOf(wallets[what.who]!.accountId, { amountMicros: BigInt(what.micros) })
      if ((await books.jobs.intake(call)) === undefined) taken.push(call)
      return
    }
    default:
      if (taken.length > 0) await close(books, what, taken[what.job % taken.length]!)
  }
}

async function pay({ books, wallets, taken }: Telling, what: Extract<Step, { way: string }>): Promise<void> {
  const wallet = wallets[what.who]!
  const payment = paymentOf(wallet, what.nonce, Math.max(10_000, what.price))
  const idempotency = what.key ? { key: `k${what.nonce % 4}`, fingerprint: payment.fingerprint } : undefined
  const call = { ...callOf(wallet.accountId, { amountMicros: BigInt(what.price), idempotency }), payment }
  if (what.kind === 'prepay') {
    if ((await claim(books.db, call)).kind !== 'claimed') return
    if (what.nonce % 5 === 0) return
    payment.txHash = `0x${'ab'.repeat(32)}`
  }
  const answer = await books.jobs.paid(what.way, call)
  if (answer.kind === 'paid' && what.way === 'intake') taken.push(call)
}

async function end({ db }: Books, { kind, at }: Extract<Step, { at: number }>): Promise<void> {
  await takeDueChunks(db, 2)
  await rows(
    db,
    "update svc.chunk set sent_at = sent_at - interval '10 minutes' where state in ('claimed', 'sending', 'unknown')",
  )
  const lost = await listLostChunks(db, 300, 10)
  const chunk = lost[at % Math.max(1, lost.length)]
  if (!chunk) return
  if (kind === 'settle') await chunkSettled(db, chunk.id, undefined)
  else if (kind === 'fail') await chunkFailed(db, chunk.id, 'gone')
  else await chunkUnknown(db, chunk.id, undefined)
}

async function close(
  { db, jobs }: Books,
  { kind, micros }: Extract<Step, { job: number }>,
  job: { id: string; accountId: string },
): Promise<void> {
  const ending = { ...job, attempt: 1, startedAt: new Date() }
  if (kind === 'cancel') await cancelJob(db, job.accountId, job.id)
  else if (kind === 'raise') await raiseHold(db, job.id, 1, BigInt(micros)).catch(isShort)
  else if (kind === 'break')
    await jobs.finish({ ...ending, outcome: { status: 'failed', problem: { code: 'INTERNAL', hints: {} } } })
  else
    await jobs.finish({
      ...ending,
      outcome: { status: 'succeeded', chargeMicros: BigInt(micros), result: '{}', objects: [] },
    })
}

/** From wallets that are known, so that chunks are credited before they come. Any story of chunks, draw-downs, settlements that come, fail or stay in doubt, and work that ends in every way. */
test('no story of payments makes or loses a micro, and no authorization pays twice', async () => {
  await using books = await openBooks()
  let telling = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async story => {
      const wallets = await Promise.all(
        [0, 1].map(async who => {
          const address = `0x${(++telling * 2 + who).toString(16).padStart(40, '0')}`
          return { address, accountId: await openWallet(books.db, address, newId(), true) }
        }),
      )
      await rows(books.db, 'update svc.wallet set settled_at = coalesce(settled_at, now())')
      const told: Telling = { books, wallets, taken: [] }
      for (let at = 0; at < story.length; at += 6) {
        await Promise.all(story.slice(at, at + 6).map(what => play(told, what)))
      }
      expect(await books.broken()).toEqual([])
    }),
    { numRuns: 8 },
  )
  const [sums] = await rows<{ in: string; out: string }>(
    books.db,
    `select (select coalesce(sum(amount_micros), 0) from svc.chunk where is_credited and state <> 'failed')::text as in,
      (select coalesce(sum(case kind when 'chunk' then amount_micros when 'bounce' then -amount_micros
        when 'debt' then -amount_micros else 0 end), 0) from svc.transfer)::text as out`,
  )
  expect(sums!.in).toBe(sums!.out)
}, 400_000)

function isShort(error: { code?: string }): void {
  if (error.code !== 'INSUFFICIENT_BALANCE') throw error
}
