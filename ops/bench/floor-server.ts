import { randomUUID } from 'node:crypto'
import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import Fastify from 'fastify'
import pg from 'pg'
import type { Sharp } from 'sharp'

/**
 * What the figures are held against, in a process of its own: Fastify with one UPDATE and commit a call, with one call
 * of sharp, and with its own parser of JSON before a file. No keys, no limits, no job: the least that could answer.
 */
const ROWS = 64
const POOL = 16

const { DATABASE_URL: url, PORT: port, FOLDER } = process.env
const app = Fastify({ logger: false, bodyLimit: 64 * 2 ** 20 })
const pool = new pg.Pool({ connectionString: url, max: POOL })
const spend = { name: 'spend', text: 'update floor.account set balance_micros = balance_micros - $2 where id = $1' }
let turn = 0

app.addContentTypeParser('image/jpeg', (_request: unknown, payload: Readable) => buffer(payload))

app.post('/commit', async () => {
  turn = (turn + 1) % ROWS
  await pool.query({ ...spend, values: [turn, 1_000] })
  return { ok: true }
})

app.post('/keep', async ({ body }) => {
  const { file } = body as { file: { inline: string } }
  const path = join(FOLDER!, randomUUID())
  await writeFile(path, Buffer.from(file.inline, 'base64'))
  await unlink(path)
  return { ok: true }
})

for (const [path, { type, steps }] of Object.entries(picturesBySharp())) {
  app.post(path, async ({ body }, reply) => {
    const { default: sharp } = await import('sharp')
    sharp.concurrency(1)
    sharp.cache(false)
    const picture = steps(sharp(body as Buffer, { autoOrient: true, failOn: 'error' }))
    return reply.type(type).send(await picture.toBuffer())
  })
}

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.send!({ ready: true })
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))

/** The same steps as the operations take, four calls at once in the threads that Node has. */
function picturesBySharp(): Record<string, { type: string; steps(image: Sharp): Sharp }> {
  return {
    '/resize': {
      type: 'image/webp',
      steps: image =>
        image
          .resize({ width: 400, fit: 'inside', kernel: 'lanczos3', withoutEnlargement: true })
          .sharpen({ sigma: 0.5, m1: 0.5, m2: 0.5 })
          .webp({ quality: 80, lossless: false }),
    },
    '/convert': { type: 'image/webp', steps: image => image.webp({ quality: 80, lossless: false }) },
    '/compress': {
      type: 'image/jpeg',
      steps: image => image.jpeg({ quality: 80, progressive: true, mozjpeg: true, chromaSubsampling: '4:2:0' }),
    },
  }
}
