import { Agent, request } from 'node:http'

/** Runs in its own process, started by p12: records when each job's answer arrived, on the clock that Postgres uses. */
const { url, headers, body, keys, clients, seconds } = JSON.parse(process.argv[2]!) as {
  url: string
  headers: Record<string, string>
  body: string
  keys: string[]
  clients: number
  seconds: number
}
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const endsAtMs = performance.now() + seconds * 1_000
const answers: [jobId: string, answeredAtMs: number][] = []
let callCount = 0

async function callUntilEnd(): Promise<void> {
  while (performance.now() < endsAtMs) answers.push(await sendCall(keys[callCount++ % keys.length]!))
}

function sendCall(key: string): Promise<[string, number]> {
  const { promise, resolve, reject } = Promise.withResolvers<[string, number]>()
  const call = request(
    url,
    { method: 'POST', agent, headers: { ...headers, authorization: `Bearer ${key}` } },
    reply => {
      reply.resume()
      reply.on('end', () => {
        const now = performance.timeOrigin + performance.now()
        if (reply.statusCode === 200) resolve([String(reply.headers['x-service-job-id']), now])
        else reject(new Error(`the answer was ${reply.statusCode}`))
      })
    },
  )
  call.on('error', reject)
  call.end(body)
  return promise
}

await Promise.all(Array.from({ length: clients }, callUntilEnd))
// Disconnecting before the callback would cut a long message short.
process.send!(answers, () => process.disconnect())
agent.destroy()
