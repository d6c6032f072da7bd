import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDownload } from '../../../pools/fetch/download.ts'
import { createOpenFile } from '../../../pools/fetch/open-file.ts'
import { createOutboundFetch } from '../../../pools/fetch/outbound.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const TEXT = 'coded '.repeat(100)
const BYTES = 10_000

const server = createServer((request, reply) => {
  const { coding, body } = JSON.parse(decodeURIComponent(request.url!.slice(1))) as { coding: string; body: string }
  if (coding) reply.setHeader('content-encoding', coding)
  reply.end(Buffer.from(body, 'base64'))
}).listen(0, '127.0.0.1')
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
})
afterAll(() => server.close())

const trusted = { isTrusted: (address: string) => address === '127.0.0.1' }
const { signal } = new AbortController()

/** What each of the ways to fetch from the web reads. */
function listReaders(coding: string, body: string | Buffer): (() => Promise<string>)[] {
  const sent = JSON.stringify({ coding, body: Buffer.from(body).toString('base64') })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(sent)}`
  return [
    async () => {
      const { body: page } = await createOutboundFetch(trusted)(url, { bytes: BYTES, signal })
      return Buffer.from(page).toString()
    },
    async () => {
      await using folder = await freshFolder()
      const path = join(folder.path, 'file')
      await createDownload(trusted)(url, { path, bytes: BYTES, signal })
      return await readFile(path, 'utf8')
    },
    async () => {
      const file = await createOpenFile(trusted)(url, { etag: undefined, bytes: BYTES, signal })
      return await text(Readable.from(file!.chunks))
    },
  ]
}

test.each<[name: string, coding: string, encode: (bytes: string) => string | Buffer]>([
  ['no coding', '', bytes => bytes],
  ['identity', 'identity', bytes => bytes],
  ['a coding that browsers do not know', 'aws-chunked', bytes => bytes],
  ['gzip', 'gzip', gzipSync],
  ['gzip in capitals', 'GZip', gzipSync],
  ['the old name of gzip', 'x-gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without a header', 'deflate', deflateRawSync],
  ['brotli', 'br', brotliCompressSync],
  ['zstd', 'zstd', zstdCompressSync],
  ['two codings', 'gzip, br', bytes => brotliCompressSync(gzipSync(bytes))],
])('reads a body with %s, and none at all', async (_name, coding, encode) => {
  for (const read of listReaders(coding, encode(TEXT))) expect(await read()).toBe(TEXT)
  for (const read of listReaders(coding, '')) expect(await read()).toBe('')
})

test.each([
  ['a body that ends too early', 'gzip', gzipSync(TEXT).subarray(0, 20)],
  ['deflate that ends too early', 'deflate', deflateRawSync(TEXT).subarray(0, 5)],
  ['bytes that are not what they are called', 'br', TEXT],
  ['a body that grows beyond the limit', 'gzip, gzip', gzipSync(gzipSync(Buffer.alloc(BYTES + 1)))],
  ['more codings than are undone', Array(5).fill('gzip').join(','), gzipSync(TEXT)],
])('refuses %s', async (_name, coding, body) => {
  for (const read of listReaders(coding, body)) await expect(read()).rejects.toThrow()
})
