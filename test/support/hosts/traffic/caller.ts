import { setTimeout as sleep } from 'node:timers/promises'
import { insist } from './call.ts'
import { KINDS, type KindName } from './kinds.ts'
import type { Report } from './open.ts'

// Customers outside of the installation: the arguments are its address and an API key. It ends its calls when it is asked to.
const [origin, apiKey] = process.argv.slice(2) as [string, string]
const PAUSE_MS = 60
const NEXT_CUSTOMER_MS = 6_000
const REPORT_EVERY_MS = 100

let isOver = false
let report: Report = { ended: [], waiting: [], faults: [] }
const waiting = new Map<string, number>()

/** One call after the other. While one takes long, the next customer comes; only the lines of a log have an order. */
async function callAgainAndAgain(kind: KindName): Promise<void> {
  const calls: Promise<void>[] = []
  for (let count = 0; !isOver; count++) {
    const answered = callOnce(kind, `${kind}-${count}`)
    calls.push(answered)
    await (kind === 'append' ? answered : Promise.race([answered, sleep(NEXT_CUSTOMER_MS)]))
    await sleep(PAUSE_MS)
  }
  await Promise.all(calls)
}

async function callOnce(kind: KindName, name: string): Promise<void> {
  const startedMs = Date.now()
  waiting.set(name, startedMs)
  try {
    const acknowledged = await KINDS[kind](call => insist(origin, apiKey, call), name)
    report.ended.push({ kind, startedMs, endedMs: Date.now(), ...acknowledged })
  } catch (error) {
    report.faults.push(`${name}: ${(error as Error).message}`)
  }
  waiting.delete(name)
}

function sendReport(): void {
  process.send?.({ ...report, waiting: [...waiting.values()] })
  report = { ended: [], waiting: [], faults: [] }
}

const timer = setInterval(sendReport, REPORT_EVERY_MS)
process.on('message', () => {
  isOver = true
})
process.on('disconnect', () => process.exit(0))
await Promise.all((Object.keys(KINDS) as KindName[]).map(callAgainAndAgain))
clearInterval(timer)
sendReport()
process.disconnect()
