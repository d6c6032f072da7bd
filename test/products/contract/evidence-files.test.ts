import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { accept, callAnonymously, makeContract, openUser, signByWallet } from '../../support/contracts/parties.ts'
import { openVerifier } from '../../support/contracts/verifier.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { sendForm } from '../../support/stack/upload-form.ts'

let api: InProcessApi
beforeAll(async () => {
  api = await openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' })
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

const CLAIM = { partyKey: 'buyer', claim: 'Only 9,000 rows came.', requestedRelief: 'A tenth back' }
const CSV = Buffer.from('row\n1\n2\n')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const inline = (bytes: Buffer) => ({ inline: bytes.toString('base64') })

/** An active contract whose disputes the operator rules upon. */
async function makeActive() {
  const [creator, buyer] = [await openUser(api), await openUser(api)]
  const made = await makeContract(creator, buyer, { arbitration: { arbitrator: 'operator' } })
  await signByWallet(api, made)
  await buyer.own('POST', `/${made.id}/sign`, accept(made))
  const arbitrate = (evidence: object[]) => buyer.own('POST', `/${made.id}/arbitrate`, { ...CLAIM, evidence })
  return { creator, buyer, made, arbitrate }
}

async function putBaton(user: Awaited<ReturnType<typeof openUser>>, content: string): Promise<string> {
  const made = await user.call('POST', '/v1/baton', { preset: 'pass', tier: 'femto', content })
  expect(made.statusCode, made.body).toBe(201)
  return made.json().id
}

async function download(path: string, user?: Awaited<ReturnType<typeof openUser>>) {
  const url = `/v1/contracts/${path}`
  return user ? await user.call('GET', url) : await api.app.inject({ url })
}

test('files are evidence of both sides: hashed into the log, kept, and read by those who take part alone', async () => {
  const { creator, buyer, made, arbitrate } = await makeActive()
  const opened = await arbitrate([
    { title: 'Count', text: '9001' },
    { title: 'Rows', file: { ...inline(CSV), name: 'rows.csv' } },
    { title: 'Other', sha256: 'ab'.repeat(32) },
    { title: 'Note', file: { text: 'short' } },
  ])
  expect(opened.status, JSON.stringify(opened.body)).toBe(202)
  const { disputeId, evidence } = opened.body
  expect(evidence).toMatchObject([
    { id: 'e1', text: '9001', file: null },
    { id: 'e2', text: null, sha256: sha256(CSV), file: { name: 'rows.csv', sizeBytes: CSV.length } },
    { id: 'e3', text: null, file: null, sha256: 'ab'.repeat(32) },
    { id: 'e4', text: null, file: { name: 'file' }, sha256: sha256(Buffer.from('short')) },
  ])
  const [seller] = made.tokens
  const scan = Buffer.from('%PDF-1.4 scan')
  const given = { partyKey: 'seller', title: 'Scan', file: { ...inline(scan), name: 'scan.pdf' } }
  const answer = await callAnonymously(api, 'POST', `${seller}/disputes/${disputeId}/evidence`, given)
  expect(answer.body.evidence[4]).toMatchObject({ id: 'e5', partyKey: 'seller', sha256: sha256(scan) })
  for (const [path, user] of [
    [made.id, creator],
    [made.id, buyer],
    [seller, undefined],
  ] as const) {
    const file = await download(`${path}/disputes/${disputeId}/evidence/e5`, user)
    expect([file.statusCode, file.rawPayload.equals(scan)]).toEqual([200, true])
    expect(file.headers['content-disposition']).toBe('attachment; filename="scan.pdf"')
  }
  const outsider = await openUser(api)
  expect((await download(`${made.id}/disputes/${disputeId}/evidence/e5`, outsider)).statusCode).toBe(404)
  for (const id of ['e1', 'e3', 'e9', 'x']) {
    expect((await download(`${seller}/disputes/${disputeId}/evidence/${id}`)).statusCode, id).toBe(404)
  }
  const page = (await api.app.inject({ url: `/contracts/${seller}` })).body
  expect(page).toContain(`href="/v1/contracts/${seller}/disputes/${disputeId}/evidence/e5"`)
  const { body: bundle } = await callAnonymously(api, 'GET', `${seller}/bundle`)
  const logged = bundle.log
    .map(({ text }: { text: string }) => JSON.parse(text))
    .filter((entry: unknown[]) => entry[5] === 'evidence')
  expect(logged.map((entry: { sha256: string }[]) => entry[6]!.sha256)).toContain(sha256(scan))
  await using folder = await openVerifier(api)
  expect(await folder.verify(JSON.stringify(bundle))).toContain(`OK: ${made.id} is disputed`)
})

test('evidence names files of its own account and batons alone, and one thing each', async () => {
  const { creator, buyer, made, arbitrate } = await makeActive()
  const batonId = await putBaton(buyer, 'kept')
  for (const [evidence, code] of [
    [{ title: 'x', file: inline(CSV), text: 'y' }, 'INVALID_PARAM'],
    [{ title: 'x' }, 'INVALID_PARAM'],
    [{ title: 'x', file: { inputKey: 'scratch/x' } }, 'INPUT_NOT_FOUND'],
    [{ title: 'x', file: {} }, 'INVALID_SOURCE'],
  ] as const)
    expect((await arbitrate([evidence])).body.code, JSON.stringify(evidence)).toBe(code)
  expect(await buyer.money()).toEqual([expect.any(BigInt), 0n])
  const opened = await arbitrate([{ title: 'Kept', file: { batonId } }])
  expect(opened.body.evidence, JSON.stringify(opened.body)).toMatchObject([{ sha256: sha256(Buffer.from('kept')) }])
  const path = `/${made.id}/disputes/${opened.body.disputeId}/evidence`
  const more = { partyKey: 'buyer', title: 'Again', file: { batonId } }
  expect((await buyer.own('POST', path, more)).body.evidence).toHaveLength(2)
  const { inputKey, ...form } = (await buyer.call('POST', '/v1/cputools/upload-url', { ext: 'csv' })).json()
  expect((await sendForm(api, form, CSV)).statusCode).toBe(204)
  const uploaded = await buyer.own('POST', path, { ...more, file: { inputKey } })
  expect(uploaded.body.evidence[2], JSON.stringify(uploaded.body)).toMatchObject({ sha256: sha256(CSV) })
  const foreign = await putBaton(creator, 'private')
  const link = `${made.tokens[0]}/disputes/${opened.body.disputeId}/evidence`
  const theirs = { partyKey: 'seller', title: 'x' }
  const outsider = await openUser(api)
  for (const [answer, status] of [
    [await buyer.own('POST', path, { ...more, file: { batonId: foreign } }), 404],
    [await creator.own('POST', path, { ...theirs, file: { inputKey } }), 404],
    [await callAnonymously(api, 'POST', link, { ...theirs, file: { batonId: foreign } }), 401],
    [await callAnonymously(api, 'POST', link, { ...theirs, file: { inputKey: 'scratch/x' } }), 404],
    [await outsider.own('POST', path, more), 404],
  ] as const)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
})

test('the files of one party have a limit together, and one that is over it is not kept or charged', async () => {
  const { buyer, made, arbitrate } = await makeActive()
  const half = Buffer.alloc(6 * 2 ** 20, 1)
  const parts = [half.subarray(0, 3 * 2 ** 20), half.subarray(3 * 2 ** 20)]
  const opened = await arbitrate(parts.map(part => ({ title: 'Part', file: inline(part) })))
  expect(opened.status).toBe(202)
  const path = `/${made.id}/disputes/${opened.body.disputeId}/evidence`
  const add = (sizeBytes: number) =>
    buyer.own('POST', path, { partyKey: 'buyer', title: 'More', file: inline(Buffer.alloc(sizeBytes, 2)) })
  expect((await add(4 * 2 ** 20)).status).toBe(200)
  expect((await add(1)).body).toMatchObject({ code: 'TOO_MUCH_EVIDENCE', maxBytes: 10_485_760 })
  const other = { partyKey: 'seller', title: 'x', file: inline(CSV) }
  expect(
    (await callAnonymously(api, 'POST', `${made.tokens[0]}${path.replace(`/${made.id}`, '')}`, other)).status,
  ).toBe(200)
  expect((await buyer.own('GET', path.replace('/evidence', ''))).body.evidence).toHaveLength(4)
})

test('files are exported with a contract, and go with the account of its creator or of whoever has handed them in', async () => {
  const { creator, buyer, made, arbitrate } = await makeActive()
  const { db, store } = api.context
  const { disputeId } = (await arbitrate([{ title: 'Rows', file: inline(CSV) }])).body
  const path = `${made.id}/disputes/${disputeId}`
  const scan = { partyKey: 'seller', title: 'Erased', file: inline(Buffer.from('scan')) }
  await callAnonymously(api, 'POST', `${made.tokens[0]}/disputes/${disputeId}/evidence`, scan)
  expect(JSON.stringify(await exportAccount(db, creator.accountId))).toContain(CSV.toString('base64'))
  await eraseAccount(db, store, buyer.accountId)
  expect((await creator.own('GET', `/${path}`)).body.evidence).toMatchObject([
    { file: null, sha256: sha256(CSV) },
    { file: { sizeBytes: 4 } },
  ])
  expect((await download(`${path}/evidence/e1`, creator)).statusCode).toBe(404)
  await eraseAccount(db, store, creator.accountId)
  const kept =
    'select 1 from svc.contract_file f join svc.contract_evidence e on e.id = f.evidence_id where e.title = $1'
  expect(await rows(db, kept, ['Erased'])).toEqual([])
})
