import { createHash } from 'node:crypto'
import { newId, Problem } from '#kit'
import { createAccount, creditAccount } from '../../sql/account.ts'
import type { Call, CallPayment, PaidCall } from '../../sql/call.ts'
import { noteIntent, openCheckout, payCheckout, reverseCheckout } from '../../sql/checkout.ts'
import { type Db, rows } from '../../sql/db.ts'
import { cancelJob, type Jobs, raiseHold } from '../../sql/job.ts'
import {
  chunkFailed,
  chunkSettled,
  chunkUnknown,
  claim,
  listLostChunks,
  openWallet,
  takeDueChunks,
} from '../../sql/payment.ts'
import { linkWallet } from '../../sql/wallet.ts'
import { STRANGER, type Step, type StepKind, type StepOf, WALLETS } from './payment-steps.ts'

export interface StoryBooks {
  db: Db
  jobs: Jobs
}

/** One history while it is told, on the very functions that the api and the workers call. */
export interface Story extends StoryBooks {
  wallets: { address: string; accountId: string }[]
  /** An account that wallets may be joined to. */
  home: string
  taken: { id: string; accountId: string }[]
  /** Payments by card. */
  cards: string[]
  /** By which call an authorization was used. */
  used: Map<string, string>
}

const ASSETS = ['0x036cbd53842c5426634e7929541ec2318f3dcf7e', '0x808456652fdb597867f38412077a9182bf77359f']
const LEAST_PAID = 10_000
/** What a history may be refused with. */
const EXPECTED = new Set(['INSUFFICIENT_BALANCE', 'ACCOUNT_AT_WORK', 'ACCOUNT_SUSPENDED', 'WALLET_TAKEN'])

export async function openStory(books: StoryBooks, name: string): Promise<Story> {
  const wallets = await Promise.all(
    Array.from({ length: WALLETS }, async (_, who) => {
      const address = `0x${createHash('sha256').update(`${name} ${who}`).digest('hex').slice(0, 40)}`
      return { address, accountId: await openWallet(books.db, address, newId(), true) }
    }),
  )
  const known = wallets.filter((_, who) => who !== STRANGER).map(({ address }) => address)
  await rows(books.db, 'update svc.wallet set settled_at = now() where address = any ($1)', [known])
  const { id: home } = await createAccount(books.db, { isTest: true })
  return { ...books, wallets, home, taken: [], cards: [], used: new Map() }
}

/** Tells the steps in turn, so many of them at a time and in no order among these. */
export async function tellStory(story: Story, steps: readonly Step[], atOnce: number): Promise<void> {
  for (let at = 0; at < steps.length; at += atOnce) {
    await Promise.all(steps.slice(at, at + atOnce).map(step => tell(story, step).catch(expected)))
  }
}

const TELLERS: { [Kind in StepKind]: (story: Story, step: StepOf<Kind>) => Promise<unknown> } = {
  pay,
  prepay: pay,
  settle: endChunk,
  fail: endChunk,
  doubt: endChunk,
  finish: endJob,
  break: endJob,
  cancel: endJob,
  raise: endJob,
  call,
  credit: ({ db, wallets }, { who, micros }) =>
    who === STRANGER
      ? Promise.resolve()
      : creditAccount(db, { accountId: wallets[who]!.accountId, amountMicros: BigInt(micros) }),
  card,
  return: giveBack,
  link,
}

function tell(story: Story, step: Step): Promise<unknown> {
  return TELLERS[step.kind](story, step as never)
}

async function pay(story: Story, { kind, who, price, way, nonce, hasKey }: StepOf<'pay' | 'prepay'>): Promise<void> {
  const { address, accountId } = story.wallets[who]!
  const payment = paymentOf(address, nonce, Math.max(LEAST_PAID, price))
  const idempotency = hasKey ? { key: `k${nonce % 4}`, fingerprint: payment.fingerprint } : undefined
  const call = { ...callOf(accountId, BigInt(price)), idempotency, payment }
  if (kind === 'prepay' && who !== STRANGER && !(await arrives(story, call, nonce))) return
  const answer = await story.jobs.paid(way, call)
  if (answer.kind !== 'paid') return
  if (who === STRANGER && accountId !== story.home) throw new Error('a wallet that never paid was given work')
  const earlier = story.used.get(`${address} ${nonce}`)
  if (earlier) throw new Error(`one authorization was taken for ${earlier} and for ${call.id}`)
  story.used.set(`${address} ${nonce}`, call.id)
  if (way === 'intake') story.taken.push(call)
}

/** Whether the payment is there before the call is booked. Some callers die in between, some meet a debt. */
async function arrives(story: Story, call: PaidCall, nonce: number): Promise<boolean> {
  const claimed = await claim(story.db, call)
  if (claimed.kind === 'arrived') return true
  if ((claimed.kind !== 'claimed' && claimed.kind !== 'resumed') || nonce % 5 === 0) return false
  if (nonce % 5 === 1) await endChunk(story, { kind: 'fail', at: nonce })
  call.payment.txHash = `0x${'ab'.repeat(32)}`
  return true
}

function paymentOf(payer: string, nonce: number, value: number): CallPayment {
  return {
    chainId: 84_532,
    asset: ASSETS[nonce % 2]!,
    symbol: nonce % 2 ? 'EURC' : 'USDC',
    payer,
    nonce: `0x${nonce.toString(16).padStart(64, '0')}`,
    valueMicros: BigInt(value),
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 300),
    fingerprint: Buffer.alloc(32, nonce % 3),
    chunk: { id: newId(), sealed: payer },
  }
}

async function call({ jobs, wallets, taken }: Story, { who, micros }: StepOf<'call'>): Promise<void> {
  const wanted = callOf(wallets[who]!.accountId, BigInt(micros))
  if ((await jobs.intake(wanted)) === undefined) taken.push(wanted)
}

function callOf(accountId: string, amountMicros: bigint): Call {
  return { id: newId(), accountId, serviceKey: 'utils.hash', lane: 'thread', amountMicros, seconds: 600, payload: '{}' }
}

/** What was sent is made old, so that it counts as lost; rows that others are at are left for the next time. */
const AGE = `update svc.chunk set sent_at = sent_at - interval '10 minutes' where id in (
  select id from svc.chunk where payer = any ($1) and state in ('claimed', 'sending', 'unknown') for update skip locked)`

async function endChunk({ db, wallets }: Story, { kind, at }: StepOf<'settle' | 'fail' | 'doubt'>): Promise<void> {
  const payers = wallets.map(({ address }) => address)
  await takeDueChunks(db, 4)
  await rows(db, AGE, [payers])
  const lost = (await listLostChunks(db, 300, 1_000)).filter(({ sealed }) => payers.includes(sealed))
  const chunk = lost[at % Math.max(1, lost.length)]
  if (!chunk) return
  if (kind === 'settle') await chunkSettled(db, chunk.id, undefined)
  else if (kind === 'fail') await chunkFailed(db, chunk.id, 'gone')
  else await chunkUnknown(db, chunk.id, undefined)
}

async function endJob(story: Story, { kind, at, micros }: StepOf<'finish' | 'break' | 'cancel' | 'raise'>) {
  const { db, jobs, taken } = story
  const job = taken[at % Math.max(1, taken.length)]
  if (!job) return
  const ending = { ...job, attempt: 1, startedAt: new Date() }
  if (kind === 'cancel') await cancelJob(db, job.accountId, job.id)
  else if (kind === 'raise') await raiseHold(db, job.id, 1, BigInt(micros))
  else if (kind === 'break')
    await jobs.finish({ ...ending, outcome: { status: 'failed', problem: { code: 'INTERNAL', hints: {} } } })
  else {
    const outcome = { status: 'succeeded', chargeMicros: BigInt(micros), result: '{}', objects: [] } as const
    await jobs.finish({ ...ending, outcome: { ...outcome, objects: [] } })
  }
}

async function card({ db, wallets, cards }: Story, { who, micros }: StepOf<'card'>): Promise<void> {
  if (who === STRANGER) return
  const paid = { accountId: wallets[who]!.accountId, provider: 'stripe', amountMicros: BigInt(micros) } as const
  const id = await openCheckout(db, paid)
  await noteIntent(db, id, `intent ${id}`)
  await payCheckout(db, { ...paid, id, event: `paid ${id}` })
  cards.push(`intent ${id}`)
}

/** A refund or a dispute; some are told twice, some after they were closed. */
async function giveBack({ db, cards }: Story, { at, micros, isClosed }: StepOf<'return'>): Promise<void> {
  const intent = cards[at % Math.max(1, cards.length)]
  if (!intent) return
  const told = { event: `event ${micros % 500} ${intent}`, intent, subject: `${at % 3} ${intent}` }
  await reverseCheckout(db, { ...told, amountMicros: BigInt(micros), isClosed })
}

async function link({ db, wallets, home }: Story, { who }: StepOf<'link'>): Promise<void> {
  const wallet = wallets[who]!
  await linkWallet(db, wallet.address, home)
  wallet.accountId = home
}

function expected(error: unknown): void {
  if (!(error instanceof Problem) || !EXPECTED.has(error.code)) throw error
}
