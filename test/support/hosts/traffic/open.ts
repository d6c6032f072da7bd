import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '../../machine/eventually.ts'
import { type Acknowledged, KINDS, type KindName } from './kinds.ts'

export interface Ended extends Acknowledged {
  kind: KindName
  startedMs: number
  endedMs: number
}

/** What the process of the customers reports. */
export interface Report {
  ended: Ended[]
  /** When the calls that are not answered yet were made. */
  waiting: number[]
  faults: string[]
}

export interface Traffic extends AsyncDisposable {
  ended: readonly Ended[]
  faults: readonly string[]
  /** Resolves when every kind of call is answered. */
  waitUntilSteady(): Promise<void>
  /** Resolves when each kind of call was answered some more times. */
  waitForMore(): Promise<void>
  /** Does something to the installation, and resolves when p99 is normal again. Returns a line that says when that was. */
  during(what: string, disturb: () => unknown): Promise<string>
  /** Lets every call get its answer. */
  end(): Promise<void>
}

const WINDOW_MS = 4_000
const NORMAL_WITHIN_MS = 30_000
/** Of a machine whose two cores are all these hosts. */
const FACTOR = 3
const MIN_LIMIT_MS = 2_000
/** A call that was not answered at once is never normal. */
const MAX_LIMIT_MS = 5_000
/** As many as a p99 is of. */
const MIN_CALLS = 100
const MORE = 8

/** Customers who call all the time, in a process of their own. */
export async function openTraffic(url: string, apiKey: string): Promise<Traffic> {
  const child = fork(fileURLToPath(new URL('caller.ts', import.meta.url)), [url, apiKey], { execArgv: [] })
  const exited = once(child, 'exit')
  const [ended, faults]: [Ended[], string[]] = [[], []]
  let waiting: Report['waiting'] = []
  child.on('message', (report: Report) => {
    ended.push(...report.ended)
    faults.push(...report.faults)
    waiting = report.waiting
  })
  const listRecent = (sinceMs: number) => {
    const fromMs = Math.max(sinceMs, Date.now() - WINDOW_MS)
    return ended.filter(({ endedMs }) => endedMs > fromMs)
  }
  const readRecent = (sinceMs: number) => {
    const nowMs = Date.now()
    return [...listTimes(listRecent(sinceMs)), ...waiting.map(startedMs => nowMs - startedMs)]
  }
  const isNormal = (sinceMs: number, limitMs: number) => {
    const kinds = new Set(listRecent(sinceMs).map(({ kind }) => kind))
    const times = readRecent(sinceMs)
    return kinds.size === Object.keys(KINDS).length && times.length >= MIN_CALLS && p99(times) <= limitMs
  }
  return {
    ...{ ended, faults },
    waitUntilSteady: async () => {
      const startMs = Date.now()
      await eventually('all kinds of calls to be answered', () => isNormal(startMs, MAX_LIMIT_MS))
    },
    waitForMore: async () => {
      const before = ended.length
      const hasMore = (kind: string) => ended.slice(before).filter(one => one.kind === kind).length >= MORE
      await eventually('more calls to be answered', () => Object.keys(KINDS).every(hasMore))
    },
    async during(what, disturb) {
      const limitMs = Math.min(Math.max(MIN_LIMIT_MS, FACTOR * p99(readRecent(0))), MAX_LIMIT_MS)
      const before = ended.length
      await disturb()
      const doneMs = Date.now()
      const isOver = () => isNormal(doneMs, limitMs)
      await eventually(`p99 under ${limitMs} ms after: ${what}`, isOver, NORMAL_WITHIN_MS)
      const normalAfter = formatSeconds(Date.now() - doneMs)
      return `${what}: p99 normal after ${normalAfter}, slowest call ${describeSlowest(ended.slice(before))}`
    },
    async end() {
      child.send('end')
      await exited
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await exited
    },
  }
}

function describeSlowest(ended: readonly Ended[]): string {
  const { kind, startedMs, endedMs } = ended.reduce((slowest, one) =>
    one.endedMs - one.startedMs > slowest.endedMs - slowest.startedMs ? one : slowest,
  )
  return `${formatSeconds(endedMs - startedMs)} (${kind})`
}

function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function listTimes(ended: readonly Ended[]): number[] {
  return ended.map(({ startedMs, endedMs }) => endedMs - startedMs)
}

function p99(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.ceil(0.99 * sorted.length) - 1] ?? 0
}
