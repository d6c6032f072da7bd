import autocannon from 'autocannon'
import { quantile } from '../median.ts'
import { readRequests } from './call-files.ts'

/** Runs in its own process, started by run.ts; sends back its counts and exits. */
const { url, folder, clients, seconds } = JSON.parse(process.argv[2]!) as {
  url: string
  folder: string
  clients: number
  seconds: number
}
const requests = await readRequests(folder)

/** Collected here because autocannon itself keeps whole milliseconds only. */
const times: number[] = []
const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
const load = autocannon({ url, connections: clients, duration: seconds, timeout: 30, requests }, (error, done) =>
  error ? reject(error) : resolve(done),
)
load.on('response', (_client, _status, _bytes, ms) => times.push(ms))
const result = await promise
times.sort((a, b) => a - b)
const counts = {
  calls: times.length,
  seconds: result.duration,
  p50Ms: quantile(times, 0.5),
  p99Ms: quantile(times, 0.99),
  failed: result.non2xx + result.errors,
}
// Disconnecting before the callback would cut a long message short.
process.send!(counts, () => process.disconnect())
