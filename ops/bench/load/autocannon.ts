import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { quantile } from '../median.ts'

/** Runs in its own process, started by run.ts; sends back its counts and exits. */
const { url, folder, clients, seconds } = JSON.parse(process.argv[2]!) as {
  url: string
  folder: string
  clients: number
  seconds: number
}
const body = await readFile(join(folder, 'body'))
const lines = (await readFile(join(folder, 'headers'), 'utf8')).split('\n').filter(Boolean)
const keys = (await readFile(join(folder, 'keys'), 'utf8')).split('\n')
const headers = Object.fromEntries(lines.map(line => line.split(/: (.*)/, 2) as [string, string]))
const paths = (await readFile(join(folder, 'paths'), 'utf8')).split('\n')
const method = (await readFile(join(folder, 'method'), 'utf8')) as 'GET' | 'POST'
const requests = keys.map((key, index) => ({
  method,
  path: paths[index]!,
  headers: { ...headers, authorization: `Bearer ${key}` },
  body,
}))

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
