import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import type { StoreConfig } from '../../../ops/providers/storage/contract.ts'
import { createBytes, sha256, toChunks, toWebStream } from '../../support/data/bytes.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { startS3Server } from '../../support/servers/s3.ts'

const LARGE_BYTES = 50 * 2 ** 20
const SMALL_BYTES = 100 * 1024
const MAX_GROWTH_BYTES = 64 * 2 ** 20

test('a raw upload of 50 MiB to disk adds at most 64 MiB to the memory of the process', async () => {
  await using folder = await freshFolder()
  await expectModestGrowth({ dataDir: folder.path }, (url, bytes) => postRaw(url, bytes))
})

test('an upload of 50 MiB by a form to disk adds at most 64 MiB to the memory of the process', async () => {
  await using folder = await freshFolder()
  await expectModestGrowth({ dataDir: folder.path }, (url, bytes) => postForm(url, bytes))
})

test('a raw upload of 50 MiB to S3 adds at most 64 MiB to the memory of the process', async () => {
  await using server = await startS3Server()
  const { url, bucket, keys } = server
  const s3 = { bucket, endpoint: url, forcePathStyle: true, ...keys }
  await expectModestGrowth({ dataDir: '/nowhere', s3 }, (to, bytes) => postRaw(to, bytes))
})

/** Sends a small upload first, so that modules loaded once and stream buffers do not count as growth. */
async function expectModestGrowth(
  config: Pick<StoreConfig, 'dataDir' | 's3'>,
  upload: (url: string, bytes: Buffer) => Promise<void>,
): Promise<void> {
  await using child = await startChild(config)
  await upload(child.url, createBytes(SMALL_BYTES))
  const before = await readPeakBytes(child.url)
  await upload(child.url, createBytes(LARGE_BYTES))
  const growth = (await readPeakBytes(child.url)) - before
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
}

async function postRaw(url: string, bytes: Buffer): Promise<void> {
  const body = toWebStream(toChunks(bytes))
  const init = {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { 'content-type': 'image/png', 'idempotency-key': 'a' },
  } as RequestInit
  const answer = (await (await fetch(`${url}/raw`, init)).json()) as { sha256: string }
  expect(answer.sha256).toBe(sha256(bytes))
}

async function postForm(url: string, bytes: Buffer): Promise<void> {
  const ticket = await fetch(`${url}/form?key=scratch/${newId()}/${newId()}`)
  const { fields } = (await ticket.json()) as { fields: Record<string, string> }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([new Uint8Array(bytes)]), 'a.bin')
  expect((await fetch(`${url}/objects`, { method: 'POST', body: form })).status).toBe(204)
}

async function readPeakBytes(url: string): Promise<number> {
  const answer = (await (await fetch(`${url}/memory`)).json()) as { peakBytes: number }
  return answer.peakBytes
}

async function startChild(store: Pick<StoreConfig, 'dataDir' | 's3'>): Promise<AsyncDisposable & { url: string }> {
  const config = { ...store, secret: 'a secret of enough letters', publicUrl: 'http://coinop.test' }
  const child = spawn(process.execPath, ['test/support/intake/upload-child.ts', JSON.stringify(config)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
