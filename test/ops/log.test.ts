import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { openLog } from '../../ops/log.ts'

const CANARY = '0123456789abcdef0123456789abcdef'
const JWT = `eyJhbGciOiJIUzI1NiJ9.${CANARY}.${CANARY}`

function writeLog(write: (log: ReturnType<typeof openLog>) => void): string {
  const lines: string[] = []
  write(openLog({ logLevel: 'trace', name: 'test' }, { write: line => void lines.push(line) }))
  return lines.join('')
}

test('a line has a name, a time, a level and a message', () => {
  const line = JSON.parse(writeLog(log => log.warn({ jobId: 'j1', waitMs: 3 }, 'it happened'))) as Record<
    string,
    unknown
  >
  expect(line).toMatchObject({
    level: 'warn',
    name: 'test',
    pid: process.pid,
    jobId: 'j1',
    waitMs: 3,
    msg: 'it happened',
  })
  expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT/)
})

test.each([
  ['a key in a message', (log: ReturnType<typeof openLog>) => log.info(`svc_live_${CANARY} was used`)],
  ['a key in an error', (log: ReturnType<typeof openLog>) => log.error(new Error(`no svc_test_${CANARY}`))],
  ['a bearer token', (log: ReturnType<typeof openLog>) => log.info(`sent Bearer ${CANARY}`)],
  [
    'tokens in addresses',
    (log: ReturnType<typeof openLog>) =>
      log.info(
        { req: { method: 'GET', url: `/v1/bridge/channels/brt_${CANARY}/messages` } },
        `/contracts/ctp_${CANARY} /r/rpl_${CANARY} hnd_${CANARY} rcp_${CANARY} svc_refresh_${CANARY}`,
      ),
  ],
  ['a JWT', (log: ReturnType<typeof openLog>) => log.info({ note: JWT }, 'login')],
  ['an authorization header', (log: ReturnType<typeof openLog>) => log.info({ headers: { authorization: CANARY } })],
  [
    'a payment',
    (log: ReturnType<typeof openLog>) => log.info({ headers: { 'payment-signature': CANARY, 'X-Payment': CANARY } }),
  ],
  ['a cookie', (log: ReturnType<typeof openLog>) => log.info({ reply: { headers: { 'set-cookie': [CANARY] } } })],
  [
    'a password and a body',
    (log: ReturnType<typeof openLog>) => log.info({ input: { password: CANARY }, body: { a: CANARY } }),
  ],
  ['a query', (log: ReturnType<typeof openLog>) => log.info({ req: { method: 'GET', url: `/mcp?key=${CANARY}` } })],
  ['a query deep down', (log: ReturnType<typeof openLog>) => log.info({ a: [{ url: `https://x/y?z=${CANARY}` }] })],
  ['a database address', (log: ReturnType<typeof openLog>) => log.error(new Error(`no postgres://u:${CANARY}@db/x`))],
  ['a socket address', (log: ReturnType<typeof openLog>) => log.error(`postgresql:///x?user=u&password=${CANARY}`)],
  [
    'a key bound to a child',
    (log: ReturnType<typeof openLog>) => log.child({ apiKey: `svc_live_${CANARY}` }).info('x'),
  ],
])('%s is never written', (_what, write) => {
  const line = writeLog(write)
  expect(line).not.toBe('')
  expect(line).not.toContain(CANARY)
  expect(() => JSON.parse(line) as unknown).not.toThrow()
})

/** A process that logs a line of so many characters, and more at its end, once its input says so. */
function startLogger(characters: number) {
  const file = new URL('../../ops/log.ts', import.meta.url).href
  const program = `
    const { openLog } = await import('${file}')
    const log = openLog({ logLevel: 'info', name: 'test' })
    process.stdin.once('data', () => {
      log.info('x'.repeat(${characters}))
      process.on('exit', () => log.info('the last line'))
      process.exit(7)
    })
    process.stderr.write('ready')`
  return spawn(process.execPath, ['--input-type=module', '-e', program])
}

test('a process ends although nobody reads its log any more', async () => {
  const child = startLogger(10)
  await once(child.stderr, 'data')
  child.stdout.destroy()
  child.stdin.write('go')
  expect(await once(child, 'exit')).toEqual([7, null])
})

test('a long line is written whole before the process ends, and the last one too', async () => {
  const child = startLogger(1_000_000)
  const [chunks] = [[] as Buffer[], await once(child.stderr, 'data')]
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stdin.write('go')
  await once(child, 'close')
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n')
  expect(lines.map(line => (JSON.parse(line) as { msg: string }).msg.length)).toEqual([1_000_000, 13])
})
