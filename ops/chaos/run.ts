import { setTimeout as sleep } from 'node:timers/promises'
import { checkInvariants } from '../../sql/ledger.ts'
import { pollUntil } from '../back-off.ts'
import { BrokenPromise, must } from './broken-promise.ts'
import { Customer } from './customer.ts'
import type { NamedDisturbance } from './disturbance.ts'
import { DISTURBANCES, type History } from './history.ts'
import type { Installation } from './installation.ts'
import type { PlantedFault } from './planted-faults.ts'
import type { Random } from './random.ts'
import type { loadStories } from './story.ts'
import { sum, type Tally } from './tally.ts'

/** So many disturbances can last at the same time. */
const DISTURBERS = 3
const LONGEST_PAUSE_MS = 4_000
const HEALTHY_WITHIN_MS = 90_000
/** A call whose api died keeps its money until it is tried again or its deadline is over. */
const FREE_WITHIN_MS = 180_000
const CREDIT_MICROS = 10n ** 15n

interface RunOptions {
  service: Installation
  stories: Awaited<ReturnType<typeof loadStories>>
  disturbances: readonly NamedDisturbance[]
  random: Random
  history: History
  tally: Tally
  fault?: PlantedFault
  log(text: string): void
}

type OpenedStory = Awaited<ReturnType<typeof openStories>>[number]

/** Rounds of traffic and disturbances, each with a calm after it in which all is compared. Throws BrokenPromise. */
export async function runRounds(options: RunOptions, roundMs: readonly number[]): Promise<void> {
  const { service, fault, tally, log } = options
  const opened = await openStories(options)
  for (const [index, ms] of roundMs.entries()) {
    const round = { untilMs: Date.now() + ms, index, isBroken: false }
    const disturbers = Array.from({ length: DISTURBERS }, (_, lane) => disturbUntil(options, round, lane))
    const callers = opened.flatMap(one =>
      Array.from({ length: one.callers }, (_, caller) => callUntil(one, caller, round)),
    )
    const results = await Promise.allSettled([...callers, ...disturbers])
    for (const result of results) if (result.status === 'rejected') throw result.reason
    await fault?.plant(service)
    await checkAll(options, opened)
    log(
      `round ${index + 1} of ${roundMs.length}: ${sum(tally.kills)} kills, ${tally.cuts} cuts so far; all promises held`,
    )
  }
}

async function openStories({ service, stories, random, history, tally }: RunOptions) {
  return Promise.all(
    stories.map(async ({ name, callers, open }, index) => {
      const { id: accountId, key: apiKey } = service.accounts[index]!
      const own = random.stream(name)
      const options = { urls: service.urls, creditMicros: CREDIT_MICROS, random: own.stream('urls'), history, tally }
      const customer = new Customer({ ...options, accountId, apiKey })
      let names = 0
      const newName = (kind: string) => `${kind}-${++names}`
      const running = await open({ service, customer, random: own, history, newName })
      const streams = Array.from({ length: callers }, (_, caller) => own.stream(`caller ${caller}`))
      return { name, callers, customer, running, streams }
    }),
  )
}

interface Round {
  untilMs: number
  index: number
  /** The first promise that is broken ends the round for all. */
  isBroken: boolean
}

async function callUntil({ running, streams }: OpenedStory, caller: number, round: Round): Promise<void> {
  try {
    while (Date.now() < round.untilMs && !round.isBroken) await running.step(streams[caller]!, caller)
  } catch (error) {
    round.isBroken = true
    throw error
  }
}

async function disturbUntil(options: RunOptions, round: Round, lane: number): Promise<void> {
  const { service, disturbances, history, tally, fault } = options
  // What is planted must be found without disturbances, which would only delay it.
  if (fault) return
  const random = options.random.stream(`round ${round.index} disturber ${lane}`)
  for (let turn = 0; ; turn++) {
    const pauseMs = random.int(0, LONGEST_PAUSE_MS)
    const { name, disturb } = random.pickWeighted(disturbances)
    const own = random.stream(`${turn} ${name}`)
    await sleep(pauseMs)
    if (Date.now() >= round.untilMs || round.isBroken) return
    history.add(DISTURBANCES, `${name} begins`)
    const done = await disturb(service, own)
    if (!done) continue
    history.add(DISTURBANCES, done.text)
    tally.count('disturbances', name)
    if (done.kills) tally.count('kills', name, done.kills)
    tally.cuts += done.cuts ?? 0
  }
}

async function checkAll({ service, tally }: RunOptions, opened: readonly OpenedStory[]): Promise<void> {
  const isHealthy = await pollUntil(async () => (await service.isHealthy()) || undefined, {
    ...{ withinMs: HEALTHY_WITHIN_MS, everyMs: 250 },
  })
  must(isHealthy === true, 'After the last disturbance both apis accept work within 90 seconds.', 'service', '')
  for (const { name, running } of opened) tally.count('checks', name, await running.check())
  for (const one of opened) {
    await checkMoney(one)
    tally.count('checks', 'balances')
  }
  const broken = await checkInvariants(service.db)
  tally.count('checks', 'invariants of the ledger')
  if (broken.length > 0) throw new BrokenPromise('The ledger keeps its rules.', 'ledger', broken.slice(0, 5))
}

async function checkMoney({ name, customer }: OpenedStory): Promise<void> {
  const read = async () => {
    const { body } = await customer.insist({ subject: name, method: 'GET', path: '/v1/account' })
    return { balance: BigInt(body.balanceMicros), held: BigInt(body.heldMicros) }
  }
  const readFree = async () => {
    const money = await read()
    return money.held === 0n ? money : undefined
  }
  const free = await pollUntil(readFree, { withinMs: FREE_WITHIN_MS, everyMs: 500 })
  const money = free ?? (await read())
  must(money.held === 0n, 'No money is held when nothing runs and every deadline is over.', name, money)
  const expected = customer.creditMicros - customer.spentMicros
  const promise = 'A balance is its credit without what the answers said that it was charged.'
  must(money.balance === expected, promise, name, { ...money, expected })
}
