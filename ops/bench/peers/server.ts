import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'

/**
 * The peers in their own process. Both are given the best case: ipx reads its file from a local folder, and a job of
 * pg-boss is awaited in the process that runs it, which learns of its end without asking the database. Its workers are
 * notified of every job, because alone they look for jobs twice a second: on a machine that also ran other work, one
 * worker did 109 jobs a second without and 233 with notification, two 232, four 277, and four with batches of 16 265.
 */
interface Ipx {
  createIPX(options: object): (id: string, steps: object) => { process(): Promise<{ data: Buffer }> }
  ipxFSStorage(options: { dir: string }): object
}

interface Boss {
  start(): Promise<unknown>
  createQueue(name: string): Promise<void>
  send(name: string, data: object, options: object): Promise<string>
  work(name: string, options: object, run: (jobs: { id: string }[]) => Promise<void>): Promise<string>
  /** Makes a worker look for jobs now. */
  notifyWorker(workerId: string): void
}

const QUEUE = 'no-op'
/** The shortest that pg-boss allows. */
const POLLING_SECONDS = 0.5
const BATCH_SIZE = 64
const WORKERS = 4

const { DATABASE_URL: url, PORT: port, FOLDER, PEERS } = process.env
const load = createRequire(join(PEERS!, 'package.json'))
const { createIPX, ipxFSStorage } = (await import(pathToFileURL(load.resolve('ipx')).href)) as Ipx
const Boss = load('pg-boss') as new (options: object) => Boss

const app = Fastify({ logger: false })
const ipx = createIPX({ storage: ipxFSStorage({ dir: FOLDER! }) })

app.post('/resize', async (_request, reply) => {
  const { data } = await ipx('photograph.jpg', { w: '400', f: 'webp', q: '80' }).process()
  return reply.type('image/webp').send(data)
})

const boss = new Boss({ connectionString: url, schema: 'boss' })
const waiting = new Map<string, () => void>()
await boss.start()
await boss.createQueue(QUEUE)
const workerIds: string[] = []
for (let count = WORKERS; count > 0; count--) {
  workerIds.push(await boss.work(QUEUE, { batchSize: BATCH_SIZE, pollingIntervalSeconds: POLLING_SECONDS }, runJobs))
}
let sent = 0

app.post('/job', async () => {
  const id = crypto.randomUUID()
  const ended = new Promise<void>(resolve => waiting.set(id, resolve))
  await boss.send(QUEUE, {}, { id })
  boss.notifyWorker(workerIds[sent++ % WORKERS]!)
  await ended
  waiting.delete(id)
  return { id }
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send!({ ready: true })
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))

async function runJobs(jobs: { id: string }[]): Promise<void> {
  // After the return of this function its jobs are completed in the database.
  for (const { id } of jobs) setImmediate(() => waiting.get(id)?.())
}
