import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify from 'fastify'
import { BOSS_SETTINGS, IPX_SETTINGS } from './settings.ts'

/**
 * The peers in their own process. Both are given the best case. ipx reads its file from a local folder, and its sharp uses
 * one thread for each of the calls in flight, as ours does. A job of pg-boss is awaited in the process that runs it, which
 * learns of its end without asking the database. Its workers are woken by its own notification, take batches, and go on at
 * once while batches are full.
 */
interface Ipx {
  createIPX(options: object): (id: string, steps: object) => { process(): Promise<{ data: Buffer }> }
  ipxFSStorage(options: { dir: string }): object
}

interface Sharp {
  concurrency(threads: number): void
}

interface Boss {
  start(): Promise<unknown>
  createQueue(name: string, options: object): Promise<void>
  send(name: string, data: object, options: object): Promise<string>
  work(name: string, options: object, run: (jobs: { id: string }[]) => Promise<void>): Promise<string>
}

const QUEUE = 'no-op'

const { DATABASE_URL: url, PORT: port, FOLDER, PEERS } = process.env
const load = createRequire(join(PEERS!, 'package.json'))
const { createIPX, ipxFSStorage } = (await import(pathToFileURL(load.resolve('ipx')).href)) as Ipx
const { PgBoss } = (await import(pathToFileURL(load.resolve('pg-boss')).href)) as {
  PgBoss: new (options: object) => Boss
}
const sharp = createRequire(load.resolve('ipx'))('sharp') as Sharp
sharp.concurrency(IPX_SETTINGS.threadsPerImage)

const app = Fastify({ logger: false })
const ipx = createIPX({ storage: ipxFSStorage({ dir: FOLDER! }) })

app.post('/resize', async (_request, reply) => {
  const { data } = await ipx('photograph.jpg', { w: '400', f: 'webp', q: '80' }).process()
  return reply.type('image/webp').send(data)
})

const { connections, notify, ...work } = BOSS_SETTINGS
const boss = new PgBoss({ connectionString: url, schema: 'boss', max: connections, useListenNotify: notify })
const waiting = new Map<string, () => void>()
await boss.start()
await boss.createQueue(QUEUE, { notify })
await boss.work(QUEUE, work, runJobs)

app.post('/job', async () => {
  const id = crypto.randomUUID()
  const ended = new Promise<void>(resolve => waiting.set(id, resolve))
  await boss.send(QUEUE, {}, { id })
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
