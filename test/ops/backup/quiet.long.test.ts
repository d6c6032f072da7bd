import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { rows, value } from '../../../sql/db.ts'
import { listWorkers } from '../../../sql/worker.ts'
import { FAKE_NETWORK } from '../../support/chain/fake-chain.ts'
import { openPaidApi, type PaidApi } from '../../support/chain/in-process-paid-api.ts'
import { emptyDatabase } from '../../support/database/fresh.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { openWebhookReceiver } from '../../support/servers/webhook-receiver.ts'
import { openBatonOwner } from '../../support/stack/baton-owner.ts'
import { createClient } from '../../support/stack/client.ts'
import { runCli } from '../../support/stack/run-cli.ts'
import { startStack } from '../../support/stack/start.ts'

const KEY = 'correct horse battery staple'
const TRANSACTION = `0x${'ab'.repeat(32)}`

/** Settles whatever it is sent. */
async function openSettlingFacilitator() {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    request.resume()
    request.on('end', () => response.end(JSON.stringify({ success: true, transaction: TRANSACTION, isValid: true })))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/** A webhook and a mail that are due, and a payment that was accepted and is not yet on the chain. Returns the account of the webhook. */
async function leaveOutgoing(api: PaidApi, receiverUrl: string): Promise<string> {
  const owner = await openBatonOwner(api)
  const registered = await owner.call('POST', '/v1/webhooks', { url: `${receiverUrl}/ok`, events: ['job.completed'] })
  expect(registered.statusCode).toBe(201)
  const sent = await owner.call('POST', `/v1/webhooks/${registered.json().id}/test`)
  expect(sent.statusCode).toBeLessThan(300)
  const data = JSON.stringify({ id: newId(), host: 'hooks.example.com', reason: 'Gone.' })
  const queued = [newId(), owner.accountId, 'ida@example.com', data]
  await value(api.context.db, "select notification.queue($1, $2, 'webhook.disabled', 'k', $3, $4, null)", queued)
  const wallet = api.chain.wallet()
  for (let call = 0; call < 12; call++) await api.hash({ 'payment-signature': wallet.pay(10_000n) }, `${call}`)
  const chunks = await rows(api.context.db, "select id from svc.chunk where state = 'pending'")
  expect(chunks).toHaveLength(1)
  return owner.accountId
}

test('a restored copy sends and settles nothing, until it is woken', async () => {
  await using receiver = await openWebhookReceiver()
  await using facilitator = await openSettlingFacilitator()
  await using mail = await openMailServer()
  await using folder = await freshFolder()
  await using target = await emptyDatabase()
  const backups = join(folder.path, 'backups')
  const dataDir = join(folder.path, 'copy')
  let accountId: string
  {
    await using api = await openPaidApi({ WEBHOOK_NETWORKS: '127.0.0.1' })
    accountId = await leaveOutgoing(api, receiver.url)
    const { databaseUrl, secret, dataDir: original } = api.context.config
    const own = { DATABASE_URL: databaseUrl!, DATA_DIR: original, SECRET: secret, BACKUP_KEY: KEY }
    expect((await runCli(own, 'backup', 'create', '--to', backups)).stderr).toBe('')
  }
  const into = ['--database-url', target.url, '--data-dir', dataDir]
  expect((await runCli({ BACKUP_KEY: KEY }, 'backup', 'restore', backups, ...into)).stderr).toBe('')
  await using stack = await startStack({
    ...{ databaseUrl: target.url, dataDir, worker: false },
    env: {
      SECRET: '',
      WEBHOOK_NETWORKS: '127.0.0.1',
      OUTBOUND: 'public',
      SMTP_URL: mail.url,
      X402_NETWORK: 'base-sepolia',
      X402_PAY_TO: FAKE_NETWORK.payTo,
      X402_FACILITATOR_URL: facilitator.url,
    },
  })
  const worker = await stack.startWorker({})
  expect((await stack.anonymous.get('/v1/capabilities')).body).toMatchObject({
    ...{ quiet: true, payments: { x402: { available: false } }, sources: { url: { available: false } } },
  })
  expect((await stack.anonymous.get('/health')).body).toMatchObject({ quiet: true })
  // What needs nobody else works: a worker has run this call, and has not done the other things that were due.
  await stack.writeSetting('instant.off', ['utils.hash'])
  const key = await runCli({ DATABASE_URL: target.url, DATA_DIR: dataDir }, 'key', 'create', accountId)
  const called = await createClient(stack.url, key.stdout).post('/v1/utils/hash', { text: 'a' })
  expect(called.status).toBe(200)
  expect(Object.keys((await listWorkers(stack.db))[0]!.lanes)).not.toContain('remote')
  expect([receiver.messages, facilitator.requests, mail.lines]).toEqual([[], [], []])

  const woken = await runCli({ DATABASE_URL: target.url, DATA_DIR: dataDir }, 'backup', 'wake')
  expect(woken.stdout).toContain('awake')
  const isGone = (pid: number) => !existsSync(`/proc/${pid}`)
  await eventually('both processes to end', () => isGone(stack.api.pid) && isGone(worker.pid))
  await Promise.all([stack.startApi(), stack.startWorker({})])
  // One that was due at the time of the backup, and one of the call that was made while it was quiet.
  await eventually('the webhooks', () => receiver.messages.length === 2)
  await eventually('the mail', () => mail.mails.length > 0)
  await eventually('the settlement', () => facilitator.requests.includes('/settle'), 90_000)
  await eventually('its record', async () => {
    const [chunk] = await rows<{ tx_hash: string }>(
      stack.db,
      "select tx_hash from svc.chunk where state = 'settled' order by ended_at desc",
    )
    return chunk?.tx_hash === TRANSACTION
  })
  expect([receiver.messages.length, mail.mails.length]).toEqual([2, 1])
  expect(facilitator.requests).toEqual(['/settle'])
  expect((await stack.anonymous.get('/v1/capabilities')).body).toMatchObject({ quiet: false })
})
