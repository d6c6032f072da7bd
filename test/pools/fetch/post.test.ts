import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHostResolver, hasNoAddress } from '../../../ops/providers/dns/resolve.ts'
import { createOutboundPost } from '../../../pools/fetch/post.ts'
import { createTrust } from '../../../tasks/formats/web-address/destination.ts'
import { openDnsServer } from '../../support/servers/dns.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../support/servers/webhook-receiver.ts'

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await openWebhookReceiver()
})
afterAll(() => receiver[Symbol.asyncDispose]())

const buildMessage = () => ({ headers: {}, body: '{}', signal: AbortSignal.timeout(20_000) })
const none = () => false

test('reaches no address of this machine in any notation', async () => {
  const post = createOutboundPost({ isTrusted: none, resolve: async () => ['127.0.0.1'] })
  const hosts = ['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', 'localhost', 'a.localhost.', '[::1]']
  const others = [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '0.0.0.0',
    '0',
    '①②⑦.⓪.⓪.①',
    'name.example',
  ]
  for (const host of [...hosts, ...others]) {
    await expect(post(`http://${host}:${receiver.port}/ok`, buildMessage()), host).rejects.toThrow(
      'not a public address',
    )
  }
  expect(receiver.messages).toEqual([])
})

test.each([
  ['file:///etc/passwd', 'not an http or https URL'],
  ['ftp://93.184.216.34/', 'not an http or https URL'],
  ['http://93.184.216.34:22/', 'not a port for web servers'],
  ['http://user:word@93.184.216.34/', 'user name or password'],
  ['http://169.254.169.254/latest/meta-data', 'not a public address'],
  ['not a url', 'not a URL'],
])('sends nothing to %s', async (url, reason) => {
  const post = createOutboundPost({ isTrusted: none })
  await expect(post(url, buildMessage())).rejects.toThrow(reason)
})

test('a name that was public when it was checked and is private when connected to is refused', async () => {
  await using dns = await openDnsServer(query => [query === 1 ? '93.184.216.34' : '127.0.0.1'])
  const resolve = createHostResolver([dns.address])
  expect(await resolve('rebind.example')).toEqual(['93.184.216.34'])
  const post = createOutboundPost({ isTrusted: none, resolve })
  const url = 'http://rebind.example/ok'
  await expect(post(url, buildMessage())).rejects.toThrow('not a public address')
  expect(dns.queries).toBe(2)
})

test('one private address among public ones is enough to refuse a name', async () => {
  await using dns = await openDnsServer(() => ['93.184.216.34', '10.0.0.1'])
  const post = createOutboundPost({ isTrusted: none, resolve: createHostResolver([dns.address]) })
  await expect(post('https://mixed.example/', buildMessage())).rejects.toThrow('not a public address')
})

test('the connection goes to the address that was checked, without another look-up', async () => {
  await using dns = await openDnsServer(query => (query === 1 ? ['127.0.0.1'] : ['127.0.0.2']))
  const isTrusted = createTrust(['127.0.0.1'])
  const post = createOutboundPost({ isTrusted, resolve: createHostResolver([dns.address]) })
  const reply = await post(`http://inside.example:${receiver.port}/ok`, buildMessage())
  expect(reply).toMatchObject({ status: 200, body: 'thanks' })
  expect(receiver.at('/ok')[0]!.headers.host).toBe(`inside.example:${receiver.port}`)
  expect(dns.queries).toBe(1)
})

test('a name without addresses is told from a name server that is silent', async () => {
  await using dns = await openDnsServer(() => [])
  const unknown = await createHostResolver([dns.address])('nothing.example').catch((error: unknown) => error)
  expect(hasNoAddress(unknown)).toBe(true)
  const silent = await createHostResolver(['127.0.0.1:1'])('nothing.example').catch((error: unknown) => error)
  expect(hasNoAddress(silent)).toBe(false)
})

test('a redirect is returned and not followed', async () => {
  const post = createOutboundPost({ isTrusted: createTrust(['127.0.0.0/8']) })
  const before = receiver.at('/ok').length
  expect(await post(`${receiver.url}/moved`, buildMessage())).toMatchObject({ status: 302 })
  expect(receiver.at('/ok')).toHaveLength(before)
})

test('a connection is used again, and a message sent into one that was just closed is sent once more', async () => {
  const post = createOutboundPost({ isTrusted: createTrust(['127.0.0.1']) })
  receiver.answer('/close', response => {
    response.writeHead(200).end('ok')
    // The next message arrives at a connection that has no other end.
    response.on('finish', () => setTimeout(() => response.socket?.resetAndDestroy(), 5))
  })
  for (let count = 0; count < 20; count++) {
    expect((await post(`${receiver.url}/close`, buildMessage())).status).toBe(200)
    await new Promise(resolve => setTimeout(resolve, count % 7))
  }
})

test('after a closed connection the message goes by a connection of its own, however many others are open', async () => {
  const post = createOutboundPost({ isTrusted: createTrust(['127.0.0.1']) })
  const held: (() => void)[] = []
  receiver.answer('/held', response => {
    held.push(() => response.writeHead(200).end('ok'))
    if (held.length === 2) for (const answer of held) answer()
  })
  await Promise.all([post(`${receiver.url}/held`, buildMessage()), post(`${receiver.url}/held`, buildMessage())])
  const before = receiver.at('/reset').length
  await expect(post(`${receiver.url}/reset`, buildMessage())).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(receiver.at('/reset')).toHaveLength(before + 2)
})
