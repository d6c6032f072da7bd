import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openSync, readdirSync, readlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ByteRange } from '../../../ops/providers/storage/contract.ts'
import { FileStream } from '../../../ops/providers/storage/file-stream.ts'
import { freshFolder } from '../../support/machine/folder.ts'

const content = randomBytes(3 * 2 ** 20 + 17)
let folder: Awaited<ReturnType<typeof freshFolder>>
let path: string
let server: Server
const streams: FileStream[] = []

/** Answers with the range of the path, such as `/5-9`. */
beforeAll(async () => {
  folder = await freshFolder()
  path = join(folder.path, 'content')
  await writeFile(path, content)
  server = createServer((request, response) => {
    const [start, end] = request.url!.slice(1).split('-').map(Number)
    openStream(end === undefined ? undefined : { start: start!, end }).then(
      stream => stream.on('error', () => response.destroy()).pipe(response),
      () => response.destroy(),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  server.close()
  await folder[Symbol.asyncDispose]()
})

async function openStream(range?: ByteRange): Promise<FileStream> {
  const stream = new FileStream(openSync(path, 'r'), range)
  streams.push(stream)
  return stream
}

async function request(range = ''): Promise<IncomingMessage> {
  const { port } = server.address() as AddressInfo
  const [response] = (await once(get({ port, path: `/${range}`, agent: false }), 'response')) as [IncomingMessage]
  return response
}

const countOpen = () => readdirSync('/proc/self/fd').filter(fd => isOpenFile(fd)).length

function isOpenFile(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path
  } catch {
    return false
  }
}

test.each([
  ['', content],
  ['0-0', content.subarray(0, 1)],
  ['524287-524288', content.subarray(524_287, 524_289)],
  ['1000-2097151', content.subarray(1000, 2_097_152)],
  ['3145000-9999999', content.subarray(3_145_000)],
  ['9999999-99999999', content.subarray(0, 0)],
])('sends the bytes %s as a response', async (range, expected) => {
  const received = await buffer(await request(range))
  expect(received.equals(expected)).toBe(true)
})

test('sends right bytes to readers that pause, many at once', async () => {
  const readSlowly = async () => {
    const chunks: Buffer[] = []
    for await (const chunk of await request()) {
      chunks.push(chunk as Buffer)
      if (chunks.length % 8 === 0) await new Promise(resolve => setImmediate(resolve))
    }
    return Buffer.concat(chunks).equals(content)
  }
  expect(await Promise.all(Array.from({ length: 6 }, readSlowly))).toEqual(Array(6).fill(true))
})

test('keeps its chunks apart for any other reader', async () => {
  const chunks: Buffer[] = []
  for await (const chunk of await openStream()) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).equals(content)).toBe(true)
  expect(
    (await buffer((await openStream({ start: 5, end: 9 })).pipe(new PassThrough()))).equals(content.subarray(5, 10)),
  ).toBe(true)
})

test('closes the file without an error when the reader goes away, and in the end', async () => {
  const response = await request()
  response.destroy()
  await Promise.all(streams.filter(stream => !stream.closed).map(stream => once(stream, 'close')))
  expect(countOpen()).toBe(0)
})
