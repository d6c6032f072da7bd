import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import Fastify from 'fastify'
import pg from 'pg'
import type { Sharp } from 'sharp'

/**
 * The floor that figures are compared with, in its own process: Fastify with one UPDATE and commit per call, with one
 * call of sharp, or with a body written to a file. It has no keys, limits or jobs: the minimum that can answer.
 */
const ACCOUNT_COUNT = 64
const POOL_SIZE = 16

const { DATABASE_URL: url, PORT: port, FOLDER } = process.env
const app = Fastify({ logger: false, bodyLimit: 64 * 2 ** 20 })
const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE })
const debit = { name: 'spend', text: 'update floor.account set balance_micros = balance_micros - $2 where id = $1' }
/** A read that is counted must be committed too. */
const READ = {
  name: 'read',
  text: `update floor.account set balance_micros = balance_micros - 1 where id = $1
    returning (select content from floor.entry order by id limit 1) as content`,
}
let lastAccount = 0

app.addContentTypeParser('image/jpeg', (_request: unknown, payload: Readable) => buffer(payload))

app.post('/commit', async () => {
  await commitDebit()
  return { ok: true }
})

app.addContentTypeParser('application/octet-stream', (_request: unknown, payload: Readable, done) =>
  done(null, payload),
)

app.post('/upload', async ({ body }) => {
  const path = join(FOLDER!, randomUUID())
  await pipeline(body as Readable, createWriteStream(path))
  await commitDebit()
  await unlink(path)
  return { ok: true }
})

app.post<{ Body: { content: string } }>('/append', async ({ body }) => {
  await pool.query({ name: 'append', text: 'insert into floor.entry (content) values ($1)', values: [body.content] })
  return { ok: true }
})

app.get('/read', async (_request, reply) => {
  const { rows } = await pool.query<{ content: string }>({ ...READ, values: [nextAccount()] })
  return reply.type('text/plain').send(rows[0]!.content)
})

for (const [path, { type, steps }] of Object.entries(buildImageRoutes())) {
  app.post(path, async ({ body }, reply) => {
    const { default: sharp } = await import('sharp')
    sharp.concurrency(1)
    sharp.cache(false)
    const image = steps(sharp(body as Buffer, { autoOrient: true, failOn: 'error' }))
    return reply.type(type).send(await image.toBuffer())
  })
}

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send!({ ready: true })
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))

async function commitDebit(): Promise<void> {
  await pool.query({ ...debit, values: [nextAccount(), 1_000] })
}

function nextAccount(): number {
  lastAccount = (lastAccount + 1) % ACCOUNT_COUNT
  return lastAccount
}

/** The same steps as in the operations, four calls at a time in Node's thread pool. */
function buildImageRoutes(): Record<string, { type: string; steps(image: Sharp): Sharp }> {
  return {
    '/resize': {
      type: 'image/webp',
      steps: image =>
        image
          .resize({ width: 400, fit: 'inside', kernel: 'lanczos3', withoutEnlargement: true })
          .sharpen()
          .webp({ quality: 80, lossless: false }),
    },
    '/convert': { type: 'image/webp', steps: image => image.webp({ quality: 80, lossless: false }) },
    '/compress': {
      type: 'image/jpeg',
      steps: image => image.jpeg({ quality: 80, progressive: true, mozjpeg: true, chromaSubsampling: '4:2:0' }),
    },
  }
}
