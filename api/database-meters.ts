import { Gauge } from 'prom-client'
import type { MetricsRegistry } from '../ops/metrics/server.ts'
import type { Db } from '../sql/db.ts'
import { summariseBackups } from '../sql/installation/backups.ts'
import { readLastBookCheck } from '../sql/installation/books.ts'
import { readFigures } from '../sql/installation/figures.ts'
import { readLaneDepths } from '../sql/lane.ts'
import { readTotals } from '../sql/ledger.ts'
import { countSteps } from '../sql/step/queue.ts'

type Labels = Readonly<Record<string, string>>

/** Figures of the installation, read when they are asked for. Every api has the same ones: take the largest, not the sum. */
export function openDatabaseMeters(db: Db, registers: MetricsRegistry[]): void {
  const depths = share(() => readLaneDepths(db))
  const figures = share(() => readFigures(db))
  openQueueMeters(db, registers, { depths, figures })
  openMoneyMeters(db, registers, figures)
  openCareMeters(db, registers, figures)
}

/** Several gauges of one scrape ask for the same at one moment, and share one round trip. */
function share<Found>(read: () => Promise<Found>): () => Promise<Found> {
  let reading: Promise<Found> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

type ReadFigures = () => ReturnType<typeof readFigures>

function openQueueMeters(
  db: Db,
  registers: MetricsRegistry[],
  { depths, figures }: { depths: () => ReturnType<typeof readLaneDepths>; figures: ReadFigures },
): void {
  open(registers, 'coinop_queue_jobs', 'Jobs in the queues by lane.', ['lane', 'state'], async set => {
    for (const { lane, waiting, running } of await depths()) {
      set({ lane, state: 'waiting' }, Number(waiting))
      set({ lane, state: 'running' }, Number(running))
    }
  })
  const oldest = 'How long the oldest job of each lane has waited that could run.'
  open(registers, 'coinop_queue_oldest_seconds', oldest, ['lane'], async set => {
    for (const { lane, oldest_seconds } of await depths()) set({ lane }, oldest_seconds)
  })
  const steps = 'Background steps of products. Dead ones have failed for good: see `cli steps`.'
  open(registers, 'coinop_steps', steps, ['state'], async set => {
    for (const [state, count] of Object.entries(await countSteps(db))) set({ state }, count)
  })
  const webhooks =
    'Deliveries of webhooks that are due, how long the oldest has been, and endpoints that were disabled.'
  open(registers, 'coinop_webhooks', webhooks, ['figure'], async set => {
    for (const [figure, amount] of Object.entries((await figures()).webhooks)) set({ figure }, amount)
  })
}

function openMoneyMeters(db: Db, registers: MetricsRegistry[], figures: ReadFigures): void {
  const ledger = 'What customers have, in micros, free and held.'
  open(registers, 'coinop_ledger_micros', ledger, ['ledger'], async set => {
    for (const { ledger: name, amount_micros } of await readTotals(db)) set({ ledger: name }, Number(amount_micros))
  })
  const holds = 'Jobs that hold money, and how long the oldest has held it.'
  open(registers, 'coinop_holds', holds, ['figure'], async set => {
    for (const [figure, amount] of Object.entries((await figures()).holds)) set({ figure }, amount)
  })
  const payments =
    'Payments on their way from the chain, by state, and how old the oldest is. `unknown` ones are in doubt.'
  open(registers, 'coinop_payments', payments, ['state', 'figure'], async set => {
    for (const { state, count, oldestSeconds } of (await figures()).payments) {
      set({ state, figure: 'count' }, count)
      set({ state, figure: 'oldest_seconds' }, oldestSeconds)
    }
  })
}

/** How old the backups and the last check of the books are; 0 until there is one. */
function openCareMeters(db: Db, registers: MetricsRegistry[], figures: ReadFigures): void {
  const backup = 'When the last whole backup began, in Unix seconds, and how many have failed since.'
  open(registers, 'coinop_backup', backup, ['figure'], async set => {
    const { lastAt, failedSince } = await summariseBackups(db)
    set({ figure: 'last_at' }, toSeconds(lastAt))
    set({ figure: 'failed_since' }, failedSince)
  })
  const books = 'When `cli ledger verify` ended last, in Unix seconds, and how many faults it found.'
  open(registers, 'coinop_books', books, ['figure'], async set => {
    const last = await readLastBookCheck(db)
    set({ figure: 'last_at' }, toSeconds(last?.endedAt))
    set({ figure: 'faults' }, last?.faultCount ?? 0)
  })
  open(registers, 'coinop_incidents_open', 'Incidents that operators have told of and not resolved.', [], async set => {
    set({}, (await figures()).openIncidents)
  })
}

/** What was there at the last scrape and is not any more would stay, so each scrape begins anew. */
function open(
  registers: MetricsRegistry[],
  name: string,
  help: string,
  labelNames: string[],
  read: (set: (labels: Labels, amount: number) => void) => Promise<void>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      const found: [Labels, number][] = []
      // Without the database its figures are missing; those of the process say what is wrong.
      await read((labels, amount) => found.push([labels, amount])).catch(() => undefined)
      this.reset()
      for (const [labels, amount] of found) this.set(labels, amount)
    },
  })
}

function toSeconds(time: string | null | undefined): number {
  return time ? Date.parse(time) / 1_000 : 0
}
