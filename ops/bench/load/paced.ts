import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../median.ts'
import { type CallRequest, readRequests } from './call-files.ts'

/**
 * Runs in its own process, started by run.ts; sends back its counts and exits. Each call is due at a time that no earlier
 * call moves, and is measured from then, so that a server that falls behind is seen to.
 */
const { url, folder, clients, seconds, rate } = JSON.parse(process.argv[2]!) as {
  url: string
  folder: string
  clients: number
  seconds: number
  rate: number
}
const requests = await readRequests(folder)
const agent = new Agent({ keepAlive: true, maxSockets: clients })

const times: number[] = []
let failed = 0
const running: Promise<void>[] = []
const startedAt = performance.now()
for (let number = 0; number < rate * seconds; number++) {
  const dueAt = startedAt + (number * 1_000) / rate
  const waitMs = dueAt - performance.now()
  if (waitMs > 0) await sleep(waitMs)
  running.push(measure(requests[number % requests.length]!, dueAt))
}
await Promise.all(running)
const elapsedSeconds = (performance.now() - startedAt) / 1_000
times.sort((a, b) => a - b)
const counts = {
  calls: times.length,
  seconds: elapsedSeconds,
  p50Ms: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
  failed,
}
agent.destroy()
process.send!(counts, () => process.disconnect())

async function measure(call: CallRequest, dueAt: number): Promise<void> {
  const status = await send(call).catch(() => 0)
  times.push(performance.now() - dueAt)
  if (status < 200 || status > 299) failed += 1
}

function send({ body, headers, ...call }: CallRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) }
    const outgoing = request(url, { ...call, agent, headers: { ...headers, ...length } }, response => {
      response.on('end', () => resolve(response.statusCode!))
      response.on('error', reject)
      response.resume()
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
