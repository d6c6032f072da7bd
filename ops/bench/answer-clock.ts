import { Agent, request } from 'node:http'

/** A process of its own, started by p12: notes when the answer of each job came, by the clock that Postgres reads too. */
const { url, headers, body, keys, clients, seconds } = JSON.parse(process.argv[2]!) as {
  url: string
  headers: Record<string, string>
  body: string
  keys: string[]
  clients: number
  seconds: number
}
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const until = performance.now() + seconds * 1_000
const answers: [jobId: string, answeredAtMs: number][] = []
let turn = 0

async function askOnAndOn(): Promise<void> {
  while (performance.now() < until) answers.push(await ask(keys[turn++ % keys.length]!))
}

function ask(key: string): Promise<[string, number]> {
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

await Promise.all(Array.from({ length: clients }, askOnAndOn))
// Whoever disconnects at once cuts a long message short.
process.send!(answers, () => process.disconnect())
agent.destroy()
