import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createDownload } from '../../../pools/fetch/download.ts'
import { createOutboundFetch } from '../../../pools/fetch/outbound.ts'
import { isPublicAddress } from '../../../tasks/formats/web-address/public-address.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { hasTool, runJob, testPools } from '../../support/pools/open.ts'

const requests: string[] = []
const isTrusted = (address: string) => address === '127.0.0.1'
const GRADIENT = readFileSync('tasks/samples/gradient.png')

function answer(request: IncomingMessage, reply: ServerResponse): void {
  requests.push(request.url!)
  if (request.url === '/g.png') reply.setHeader('content-type', 'image/png').end(GRADIENT)
  else if (request.url === '/away') reply.writeHead(302, { location: '/g.png' }).end()
  else if (request.url === '/inside') reply.writeHead(302, { location: 'file:///etc/hostname' }).end()
  else if (request.url === '/metadata') reply.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
  else if (request.url === '/loop') reply.writeHead(302, { location: '/loop' }).end()
  else if (request.url === '/zipped') reply.setHeader('content-encoding', 'gzip').end(gzipSync(GRADIENT))
  else if (request.url === '/bomb') reply.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(2 ** 20)))
  else if (request.url === '/slow') reply.write('a')
  else if (request.url === '/endless') reply.end(Buffer.alloc(60 * 2 ** 20))
  else reply.writeHead(404).end()
}

const server = createServer(answer).listen(0, '127.0.0.1')
let port = 0
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening')
  port = (server.address() as { port: number }).port
})
afterAll(() => server.close())

test.each([
  ['8.8.8.8', true],
  ['93.184.216.34', true],
  ['2606:4700:4700::1111', true],
  ['127.0.0.1', false],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.64.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['::ffff:127.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001:0:1::', false],
  ['fc00::1', false],
  ['fe80::1', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['localhost', false],
])('whether %s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})

test('reaches no address of this machine in any notation', async () => {
  const outbound = createOutboundFetch()
  const hosts = ['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', 'localhost', 'localhost.', '[::1]']
  const others = ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '0.0.0.0', '0', '①②⑦.⓪.⓪.①']
  for (const host of [...hosts, ...others]) {
    const limits = { bytes: 1000, signal: new AbortController().signal }
    await expect(outbound(`http://${host}:${port}/g.png`, limits), host).rejects.toThrow()
  }
  const publicFetch = createOutboundFetch()
  const limits = { bytes: 1000, signal: new AbortController().signal }
  await expect(publicFetch(`http://93.184.216.34:${port}/`, limits)).rejects.toThrow('not a port for web servers')
  await expect(publicFetch('http://user:word@93.184.216.34/', limits)).rejects.toThrow('password')
  await expect(publicFetch('file:///etc/passwd', limits)).rejects.toThrow('not an http or https URL')
  expect(requests).toEqual([])
})

test('a page gets its resources if the operator allows it, and a warning for each that failed', async () => {
  const outbound = createOutboundFetch({ isTrusted })
  await using pools = await testPools({ outbound })
  const from = (path: string) => `<img src="http://127.0.0.1:${port}${path}">`
  const print = (html: string, more = {}) => runJob(pools, 'pdf.from-html', { html, ...more })
  // A machine without a browser says so; the set-up of the tests installs one where it may.
  if (!(await hasTool(pools, 'chromium'))) return expect(print('x')).rejects.toThrow('chromium is missing')
  const hasImage = (pdf: Buffer) => pdf.toString('latin1').includes('/Subtype /Image')
  const printed = await print(from('/g.png'))
  expect([hasImage(printed.bytes), printed.warnings]).toEqual([true, []])
  expect(hasImage((await print(from('/away'))).bytes)).toBe(true)
  expect((await print(from('/inside'))).warnings).toEqual(['RESOURCE_FAILED'])
  expect((await print(from('/endless'))).warnings).toEqual(['RESOURCE_FAILED'])
  expect((await print(from('/none'))).warnings).toEqual(['RESOURCE_FAILED'])
  const before = requests.length
  expect((await print(from('/g.png'), { network: 'none' })).warnings).toEqual(['RESOURCE_FAILED'])
  expect(requests.length).toBe(before)
})

test('downloads follow redirects to allowed addresses only, and end at their limits', async () => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'file')
  const download = createDownload({ isTrusted })
  const get = (to: string, { bytes = 1_000_000, signal = new AbortController().signal } = {}) =>
    download(`http://127.0.0.1:${port}${to}`, { path, bytes, signal })
  for (const way of ['/g.png', '/away', '/zipped']) {
    expect(await get(way), way).toBe(GRADIENT.length)
    expect(readFileSync(path).equals(GRADIENT), way).toBe(true)
  }
  const refused = { code: 'URL_NOT_ALLOWED' }
  await expect(get('/metadata')).rejects.toMatchObject(refused)
  await expect(get('/inside')).rejects.toMatchObject(refused)
  await expect(createDownload()('http://localhost/', { path, bytes: 9, signal: never() })).rejects.toMatchObject(
    refused,
  )
  await expect(createDownload()('http://[::1]/', { path, bytes: 9, signal: never() })).rejects.toMatchObject(refused)
  const tooLarge = { code: 'STORED_INPUT_TOO_LARGE' }
  await expect(get('/g.png', { bytes: GRADIENT.length - 1 })).rejects.toMatchObject(tooLarge)
  await expect(get('/bomb', { bytes: 10_000 })).rejects.toMatchObject(tooLarge)
  expect(await get('/g.png', { bytes: GRADIENT.length })).toBe(GRADIENT.length)
  await expect(get('/none')).rejects.toMatchObject({ code: 'FETCH_FAILED', hints: { status: 404 } })
  await expect(get('/loop')).rejects.toMatchObject({ code: 'FETCH_FAILED' })
  await expect(get('/slow', { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(
    createDownload({ isTrusted })('http://127.0.0.1:1/', { path, bytes: 9, signal: never() }),
  ).rejects.toMatchObject({ code: 'FETCH_FAILED', hints: { reason: 'ECONNREFUSED' } })
})

test('what is ended because its time is over says so', async () => {
  await using folder = await freshFolder()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('over', 'TimeoutError')), 100)
    return controller.signal
  })
  const outbound = createOutboundFetch({ isTrusted })(`http://127.0.0.1:${port}/slow`, { bytes: 1000, signal: never() })
  await expect(outbound).rejects.toMatchObject({ name: 'TimeoutError' })
  const limits = { path: join(folder.path, 'file'), bytes: 1000, signal: never() }
  const reason = 'no complete answer within 30 seconds'
  const download = createDownload({ isTrusted })(`http://127.0.0.1:${port}/slow`, limits)
  await expect(download).rejects.toMatchObject({ code: 'FETCH_FAILED', hints: { reason } })
  timeout.mockRestore()
})

function never(): AbortSignal {
  return new AbortController().signal
}
