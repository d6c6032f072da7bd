import { LANES, type Lane } from '#kit'
import type { ToolReport, WorkerRecord } from '../../sql/worker.ts'

/** `degraded` still works, slower or in part. */
export type ComponentState = 'operational' | 'degraded' | 'down'

export interface Component {
  id: string
  title: string
  state: ComponentState
}

/** What is known of the installation at one moment. */
export interface StatusFacts {
  workers: readonly WorkerRecord[]
  /** What providers serve, as workers report it. */
  tools: readonly ToolReport[]
  lanes: readonly { lane: Lane; oldest_seconds: number }[]
  webhookOldestSeconds: number
  /** Payments of which it is not known whether they have arrived. */
  doubtOldestSeconds: number
  isStoreUsable: boolean
  /** Where payments are settled. */
  network: string | undefined
}

const LANE_TITLES: Readonly<Record<Lane, string>> = {
  thread: 'Text, data and codes',
  native: 'Images, PDF and charts',
  program: 'Documents, media and web pages',
  remote: 'Calls that ask other services',
}
/** Callers wait inline for less than this. */
const SLOW_LANE_SECONDS = 30
const SLOW_WEBHOOK_SECONDS = 300
/** A payment is looked up on the chain after two minutes, and several times. */
const LONG_DOUBT_SECONDS = 1_200

export const API: Omit<Component, 'state'> = { id: 'api', title: 'API' }

/** The components that this installation has, each with its state. */
export function judgeComponents(facts: StatusFacts): Component[] {
  const { network, tools, isStoreUsable } = facts
  const served = tools.filter(({ lane, isAbsent }) => lane === 'remote' && !isAbsent)
  return [
    { ...API, state: 'operational' },
    ...LANES.map(lane => ({ id: `lane:${lane}`, title: LANE_TITLES[lane], state: judgeLane(facts, lane) })),
    { id: 'webhooks', title: 'Webhooks', state: judgeWebhooks(facts) },
    { id: 'storage', title: 'Files', state: isStoreUsable ? 'operational' : 'down' },
    ...(network === undefined
      ? []
      : [{ id: `payments:${network}`, title: `Payments on ${network}`, state: judgePayments(facts) }]),
    ...(served.length === 0 ? [] : [{ id: 'providers', title: 'Providers', state: judgeProviders(served) }]),
  ]
}

function judgeLane({ workers, lanes }: StatusFacts, lane: Lane): ComponentState {
  if (!isServed(workers, lane)) return 'down'
  const depth = lanes.find(each => each.lane === lane)
  return (depth?.oldest_seconds ?? 0) > SLOW_LANE_SECONDS ? 'degraded' : 'operational'
}

/** They are sent by the workers of one lane. */
function judgeWebhooks({ workers, webhookOldestSeconds }: StatusFacts): ComponentState {
  if (!isServed(workers, 'remote')) return 'down'
  return webhookOldestSeconds > SLOW_WEBHOOK_SECONDS ? 'degraded' : 'operational'
}

function judgePayments({ doubtOldestSeconds }: StatusFacts): ComponentState {
  return doubtOldestSeconds > LONG_DOUBT_SECONDS ? 'degraded' : 'operational'
}

function judgeProviders(served: readonly ToolReport[]): ComponentState {
  const working = served.filter(({ ok }) => ok).length
  if (working === served.length) return 'operational'
  return working === 0 ? 'down' : 'degraded'
}

function isServed(workers: readonly WorkerRecord[], lane: Lane): boolean {
  return workers.some(({ lanes }) => (lanes[lane] ?? 0) > 0)
}

/** The service is as good as the worst of it, and down only if its api is. */
export function judgeService(components: readonly Component[]): ComponentState {
  if (components.some(({ id, state }) => id === API.id && state === 'down')) return 'down'
  return components.some(({ state }) => state !== 'operational') ? 'degraded' : 'operational'
}
