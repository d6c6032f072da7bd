import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import { rows, value } from '../../sql/db.ts'
import { openJobs } from '../../sql/job.ts'
import { putPlugin, refusePlugin, removePlugin } from '../../sql/plugin/files.ts'
import { type ConsoleClient, type OpenedConsole, openConsole } from '../support/console/open.ts'
import { uuidOf } from '../support/contracts/parties.ts'
import { buildCall } from '../support/database/ledger.ts'
import { openIdleStack } from '../support/stack/default.ts'
import type { Stack } from '../support/stack/start.ts'

let stack: Stack
let console: OpenedConsole
let full: ConsoleClient
beforeAll(async () => {
  stack = await openIdleStack()
  console = await openConsole(stack)
  full = await console.operator('paula', 'full')
})
afterAll(async () => {
  await console[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

/** Who has done what to a subject. */
function logOf(subject: string) {
  return rows(stack.db, 'select operator, action from admin.act where subject = $1', [subject])
}

test('a failed delivery of a webhook is found and sent again', async () => {
  const customer = await stack.customer()
  const hook = await customer.post('/v1/webhooks', { url: 'https://93.184.216.34/hooks', events: ['job.completed'] })
  expect(hook.status).toBe(201)
  const sent = await customer.post(`/v1/webhooks/${hook.body.id}/test`, {})
  const path = `/webhooks/${hook.body.id}`
  expect((await full.get('/webhooks')).text).toContain('https://93.184.216.34/hooks')
  await rows(
    stack.db,
    "update svc.webhook_delivery set status = 'FAILED', due_at = null, finished_at = now() where id = $1",
    [sent.body.id],
  )
  expect((await full.submit(path, `${path}/${sent.body.id}/send`)).status).toBe(303)
  expect(await value(stack.db, 'select status from admin.webhook_delivery where id = $1', [sent.body.id])).toBe(
    'PENDING',
  )
  expect(await logOf(sent.body.id as string)).toMatchObject([{ operator: 'paula', action: 'webhook.redeliver' }])
})

test('a public list is loaded again by a step, and an unknown one is none', async () => {
  const lists = '/screening-lists'
  await rows(
    stack.db,
    "insert into svc.screening_list (key, title, families) values ('un_sc', 'UN', '{sanctions}') on conflict do nothing",
  )
  expect((await full.get(lists)).text).toContain('Load again')
  const key = /action="\/screening-lists\/([\w.:-]+)"/.exec((await full.get(lists)).text)![1]!
  expect((await full.submit(lists, `${lists}/${key}`)).status).toBe(303)
  expect(
    await rows(stack.db, "select from admin.step where name = 'screening.refresh' and key = $1", [key]),
  ).toHaveLength(1)
  expect((await full.submit(lists, `${lists}/none`)).status).toBe(404)
})

test('own operations are listed with their calls, what they brought in, and why newer content is refused', async () => {
  const [customer, author] = [await stack.customer(), await stack.customer(0n)]
  const plugin = { file: 'stamp.ts', name: 'acme.stamp', version: 'a'.repeat(64), declaration: {} }
  await putPlugin(stack.db, { ...plugin, author: author.accountId, percent: 40 }, Buffer.from('code'))
  await refusePlugin(stack.db, { file: 'stamp.ts', version: 'b'.repeat(64), fault: 'stamp.ts: it <cannot> be loaded' })
  const jobs = openJobs(stack.databaseUrl, 'test')
  try {
    for (const status of ['succeeded', 'succeeded', 'failed'] as const) {
      const call = buildCall(customer.accountId, { serviceKey: 'acme.stamp' })
      await jobs.intake(call)
      const outcome =
        status === 'failed'
          ? { status, problem: new Problem('TIME_LIMIT_EXCEEDED').toData() }
          : { status, chargeMicros: 1_000n, result: '{}', objects: [] }
      await jobs.finish({ id: call.id, accountId: customer.accountId, attempt: 1, startedAt: new Date(), outcome })
    }
    const { text } = await full.get('/plugins')
    const row = /<tr><td class="mono">stamp\.ts.*?<\/tr>/s.exec(text)![0]
    expect(row).toContain('stamp.ts: it &lt;cannot&gt; be loaded')
    expect(row).toContain('a'.repeat(12))
    expect(row).toContain(`<a href="/accounts/${author.accountId}">40 %</a>`)
    expect([...row.matchAll(/<td class="num">(.*?)<\/td>/gs)].map(([, cell]) => cell)).toEqual([
      '3',
      '1',
      '$0.002',
      '$0.0008',
    ])
    await value(
      stack.db,
      "select ledger.refund(id, 1000) from svc.job where account_id = $1 and status = 'succeeded' limit 1",
      [customer.accountId],
    )
    const after = /<tr><td class="mono">stamp\.ts.*?<\/tr>/s.exec((await full.get('/plugins')).text)![0]
    expect([...after.matchAll(/<td class="num">(.*?)<\/td>/gs)].map(([, cell]) => cell)).toEqual([
      '3',
      '1',
      '$0.001',
      '$0.0004',
    ])
  } finally {
    await jobs.close()
    await removePlugin(stack.db, 'stamp.ts')
  }
})

test('an operator gets a link to the reviews that bears their name', async () => {
  const link = await value(stack.db, "select idverify.review_as_operator('\\x00', 1)").catch(
    (error: Error) => error.message,
  )
  expect(link).toContain('The credentials are missing')
  const given = await full.submit('/', '/reviews')
  expect(given.text).toMatch(/href="[^"]+\/review\/identity\/[^"]+"/)
  expect(await rows(stack.db, "select reviewer from svc.idverify_review_link where reviewer = 'paula'")).toHaveLength(1)
})

test('a dispute that names the operator is ruled upon once, under the name of who rules', async () => {
  const [seller, buyer] = [await stack.customer(1_000_000n), await stack.customer(1_000_000n)]
  const parties = [
    { key: 'seller', method: 'account', customerId: seller.accountId },
    { key: 'buyer', method: 'account', customerId: buyer.accountId },
  ]
  const terms = { title: 'Rows', terms: 'Ten <b>rows</b>.', parties, arbitration: { arbitrator: 'operator' } }
  const { body: contract } = await seller.post('/v1/contracts', terms)
  for (const [party, partyKey] of [
    [seller, 'seller'],
    [buyer, 'buyer'],
  ] as const)
    await party.post(`/v1/contracts/${contract.id}/sign`, { partyKey, accept: true, termsHash: contract.termsHash })
  const evidence = [
    { title: 'Rows', file: { text: 'row\n1\n', name: '<rows>.csv' } },
    { title: 'Count', text: '9' },
  ]
  const claim = { partyKey: 'buyer', claim: 'Nine <i>came</i>.', requestedRelief: 'One more row', evidence }
  const { body: dispute } = await buyer.post(`/v1/contracts/${contract.id}/arbitrate`, claim)
  const path = `/disputes/${dispute.disputeId}`
  expect((await full.get(path)).status).toBe(404)
  expect((await full.get(`${path}/evidence/e1`)).status).toBe(404)
  await rows(
    stack.db,
    "update svc.contract_dispute set evidence_until = now() - interval '1 s', state = 'deliberating' where id = $1",
    [uuidOf(dispute.disputeId)],
  )
  const support = await console.operator('sandro', 'support')
  expect((await support.get(path)).text).not.toContain('Sign the ruling')
  const page = await full.get(path)
  expect(page.text).toContain('Nine &lt;i&gt;came&lt;/i&gt;.')
  const link = page.text.match(/href="(\/disputes\/[^"]*\/evidence\/e1)" download>&lt;rows&gt;\.csv<\/a>, 6 bytes/)?.[1]
  const file = await full.get(link!)
  expect([file.status, file.text]).toEqual([200, 'row\n1\n'])
  expect(file.headers.get('content-disposition')).toContain('attachment')
  expect((await support.get(link!)).text).toBe('row\n1\n')
  for (const id of ['e2', 'e3', 'x']) expect((await full.get(`${path}/evidence/${id}`)).status, id).toBe(404)
  const decision = { outcome: 'split', summary: 'Half a row each.', relief: 'Share.' }
  expect((await support.submit(path, path, decision)).status).toBe(403)
  expect((await full.submit(path, path, { ...decision, outcome: 'both' })).status).toBe(400)
  expect((await full.submit(path, path, decision)).status).toBe(303)
  const { body: ruled } = await seller.get(`/v1/contracts/${contract.id}/disputes/${dispute.disputeId}`)
  expect(ruled).toMatchObject({
    status: 'ruled',
    ruling: { outcome: 'split', summary: 'Half a row each.', model: null },
  })
  expect(await logOf(dispute.disputeId)).toEqual([
    { operator: 'paula', action: 'dispute.read-file' },
    { operator: 'sandro', action: 'dispute.read-file' },
    { operator: 'paula', action: 'dispute.rule' },
  ])
  expect((await full.get(path)).status).toBe(404)
  expect((await full.get(link!)).status).toBe(404)
})
