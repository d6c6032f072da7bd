import { createHash } from 'node:crypto'
import { newId, Problem } from '#kit'
import { createAccount, creditAccount } from '../../../../sql/account.ts'
import type { Call, CallPayment, PaidCall } from '../../../../sql/call.ts'
import { noteIntent, openCheckout, payCheckout, reverseCheckout } from '../../../../sql/checkout.ts'
import { type Db, rows } from '../../../../sql/db.ts'
import { cancelJob, type Jobs, raiseHold } from '../../../../sql/job.ts'
import {
  claimPayment,
  listUnresolvedChunks,
  markChunkFailed,
  markChunkSettled,
  markChunkUnknown,
  openWallet,
  takeDueChunks,
} from '../../../../sql/payment.ts'
import { linkWallet } from '../../../../sql/wallet.ts'
import { type Step, type StepKind, type StepOf, UNPAID_WALLET, WALLET_COUNT } from './steps.ts'

export interface HistoryDeps {
  db: Db
  jobs: Jobs
}

/** The state of one random history, which calls the same SQL functions as the api and the workers. */
interface HistoryState extends HistoryDeps {
  wallets: { address: string; accountId: string }[]
  /** An account that wallets can be linked to. */
  sharedAccountId: string
  queuedJobs: { id: string; accountId: string }[]
  /** The payment intents of top-ups by card. */
  cardIntents: string[]
  /** The id of the call that used each authorization. */
  usedAuthorizations: Map<string, string>
}

const ASSETS = ['0x036cbd53842c5426634e7929541ec2318f3dcf7e', '0x808456652fdb597867f38412077a9182bf77359f']
const MIN_PAYMENT_MICROS = 10_000
/** Problems that are a correct answer to a random step. */
const EXPECTED_PROBLEMS = new Set(['INSUFFICIENT_BALANCE', 'ACCOUNT_AT_WORK', 'ACCOUNT_SUSPENDED', 'WALLET_TAKEN'])

export async function openHistory(deps: HistoryDeps, name: string): Promise<HistoryState> {
  const wallets = await Promise.all(
    Array.from({ length: WALLET_COUNT }, async (_, walletIndex) => {
      const address = `0x${createHash('sha256').update(`${name} ${walletIndex}`).digest('hex').slice(0, 40)}`
      return { address, accountId: await openWallet(deps.db, address, newId(), true) }
    }),
  )
  const known = wallets.filter((_, walletIndex) => walletIndex !== UNPAID_WALLET).map(({ address }) => address)
  await rows(deps.db, 'update svc.wallet set settled_at = now() where address = any ($1)', [known])
  const { id: sharedAccountId } = await createAccount(deps.db, { isTest: true })
  return { ...deps, wallets, sharedAccountId, queuedJobs: [], cardIntents: [], usedAuthorizations: new Map() }
}

/** Runs the steps in groups of `atOnce`; the steps of a group run at the same time. */
export async function runHistory(history: HistoryState, steps: readonly Step[], atOnce: number): Promise<void> {
  for (let index = 0; index < steps.length; index += atOnce) {
    await Promise.all(steps.slice(index, index + atOnce).map(step => runStep(history, step).catch(ignoreExpected)))
  }
}

const STEP_RUNNERS: { [Kind in StepKind]: (history: HistoryState, step: StepOf<Kind>) => Promise<unknown> } = {
  pay,
  prepay: pay,
  settle: endChunk,
  fail: endChunk,
  doubt: endChunk,
  finish: endJob,
  break: endJob,
  cancel: endJob,
  raise: endJob,
  call: runCall,
  credit: ({ db, wallets }, { walletIndex, micros }) =>
    walletIndex === UNPAID_WALLET
      ? Promise.resolve()
      : creditAccount(db, { accountId: wallets[walletIndex]!.accountId, amountMicros: BigInt(micros) }),
  card: payByCard,
  return: reversePayment,
  link: linkToSharedAccount,
}

function runStep(history: HistoryState, step: Step): Promise<unknown> {
  return STEP_RUNNERS[step.kind](history, step as never)
}

async function pay(
  history: HistoryState,
  { kind, walletIndex, price, path, nonce, hasKey }: StepOf<'pay' | 'prepay'>,
): Promise<void> {
  const { address, accountId } = history.wallets[walletIndex]!
  const payment = buildPayment(address, nonce, Math.max(MIN_PAYMENT_MICROS, price))
  const idempotency = hasKey ? { key: `k${nonce % 4}`, fingerprint: payment.fingerprint } : undefined
  const call = { ...buildCall(accountId, BigInt(price)), idempotency, payment }
  if (kind === 'prepay' && walletIndex !== UNPAID_WALLET && !(await settleFirst(history, call, nonce))) return
  const answer = await history.jobs.takePaid(path, call)
  if (answer.kind !== 'paid') return
  if (walletIndex === UNPAID_WALLET && accountId !== history.sharedAccountId)
    throw new Error('a wallet that never paid was served')
  const earlier = history.usedAuthorizations.get(`${address} ${nonce}`)
  if (earlier) throw new Error(`one authorization was used for ${earlier} and for ${call.id}`)
  history.usedAuthorizations.set(`${address} ${nonce}`, call.id)
  if (path === 'intake') history.queuedJobs.push(call)
}

/** Whether the payment has arrived before the call is recorded. Some callers crash in between, some have a debt. */
async function settleFirst(history: HistoryState, call: PaidCall, nonce: number): Promise<boolean> {
  const claimed = await claimPayment(history.db, call)
  if (claimed.kind === 'arrived') return true
  if ((claimed.kind !== 'claimed' && claimed.kind !== 'resumed') || nonce % 5 === 0) return false
  if (nonce % 5 === 1) await endChunk(history, { kind: 'fail', index: nonce })
  call.payment.txHash = `0x${'ab'.repeat(32)}`
  return true
}

function buildPayment(payer: string, nonce: number, value: number): CallPayment {
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

async function runCall(
  { jobs, wallets, queuedJobs }: HistoryState,
  { walletIndex, micros }: StepOf<'call'>,
): Promise<void> {
  const call = buildCall(wallets[walletIndex]!.accountId, BigInt(micros))
  if ((await jobs.intake(call)) === undefined) queuedJobs.push(call)
}

function buildCall(accountId: string, amountMicros: bigint): Call {
  return { id: newId(), accountId, serviceKey: 'utils.hash', lane: 'thread', amountMicros, seconds: 600, payload: '{}' }
}

/** Ages the chunks in flight, so that they count as lost; rows locked by other steps are skipped. */
const AGE_CHUNKS_SQL = `update svc.chunk set sent_at = sent_at - interval '10 minutes' where id in (
  select id from svc.chunk where payer = any ($1) and state in ('claimed', 'sending', 'unknown') for update skip locked)`

async function endChunk(
  { db, wallets }: HistoryState,
  { kind, index }: StepOf<'settle' | 'fail' | 'doubt'>,
): Promise<void> {
  const payers = wallets.map(({ address }) => address)
  await takeDueChunks(db, 4)
  await rows(db, AGE_CHUNKS_SQL, [payers])
  const lost = (await listUnresolvedChunks(db, 300, 1_000)).filter(({ sealed }) => payers.includes(sealed))
  const chunk = lost[index % Math.max(1, lost.length)]
  if (!chunk) return
  if (kind === 'settle') await markChunkSettled(db, chunk.id, undefined)
  else if (kind === 'fail') await markChunkFailed(db, chunk.id, 'gone')
  else await markChunkUnknown(db, chunk.id, undefined)
}

async function endJob(history: HistoryState, { kind, index, micros }: StepOf<'finish' | 'break' | 'cancel' | 'raise'>) {
  const { db, jobs, queuedJobs } = history
  const job = queuedJobs[index % Math.max(1, queuedJobs.length)]
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

async function payByCard(
  { db, wallets, cardIntents }: HistoryState,
  { walletIndex, micros }: StepOf<'card'>,
): Promise<void> {
  if (walletIndex === UNPAID_WALLET) return
  const paid = { accountId: wallets[walletIndex]!.accountId, provider: 'stripe', amountMicros: BigInt(micros) } as const
  const id = await openCheckout(db, paid)
  await noteIntent(db, id, `intent ${id}`)
  await payCheckout(db, { ...paid, id, event: `paid ${id}` })
  cardIntents.push(`intent ${id}`)
}

/** A refund or a dispute; some arrive twice, some after they were closed. */
async function reversePayment(
  { db, cardIntents }: HistoryState,
  { index, micros, isClosed }: StepOf<'return'>,
): Promise<void> {
  const intent = cardIntents[index % Math.max(1, cardIntents.length)]
  if (!intent) return
  const reversal = { event: `event ${micros % 500} ${intent}`, intent, subject: `${index % 3} ${intent}` }
  await reverseCheckout(db, { ...reversal, amountMicros: BigInt(micros), isClosed })
}

async function linkToSharedAccount(
  { db, wallets, sharedAccountId }: HistoryState,
  { walletIndex }: StepOf<'link'>,
): Promise<void> {
  const wallet = wallets[walletIndex]!
  await linkWallet(db, wallet.address, sharedAccountId)
  wallet.accountId = sharedAccountId
}

function ignoreExpected(error: unknown): void {
  if (!(error instanceof Problem) || !EXPECTED_PROBLEMS.has(error.code)) throw error
}
