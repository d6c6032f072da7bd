import { Webhook } from 'standardwebhooks'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { type Receipt, verifyReceipt } from '../../../api/surfaces/sdk/typescript/receipt.ts'
import { openWallet } from '../../../api/surfaces/sdk/typescript/wallet/account.ts'
import { verifyMailboxMessage, verifyWebhook } from '../../../api/surfaces/sdk/typescript/webhooks.ts'
import { verifyWitness, type WitnessProof } from '../../../api/surfaces/sdk/typescript/witness.ts'
import { newWebhookSecret, signByStandard, signMailboxMessage } from '../../../tasks/products/webhook/signature.ts'
import { python } from '../../support/clients/python.ts'
import { openWitnessedLedger } from '../../support/stack/witnessed-ledger.ts'

const TRANSFER = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

test('both clients sign as viem does, byte by byte', async () => {
  const cases = await Promise.all(Array.from({ length: 12 }, (_, index) => signByViem(index)))
  for (const { key, address, message, data, signatures } of cases) {
    const wallet = openWallet(key)
    expect(wallet.address).toBe(address)
    expect([await wallet.signMessage({ message }), await wallet.signTypedData(data)]).toEqual(signatures)
  }
  const signed = await python(
    `
from coinop.wallet.account import Wallet
print(json.dumps([[(w := Wallet(case["key"])).address, w.sign_message(case["message"]), w.sign_typed_data(case["data"])] for case in given]))`,
    cases,
  )
  expect(signed).toEqual(cases.map(({ address, signatures }) => [address, ...signatures]))
  for (const wrong of ['0x0', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`, 'x'])
    expect(() => openWallet(wrong)).toThrow()
})

async function signByViem(index: number) {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const message = `line ${index}\n${'é'.repeat(index * 20)}`
  const authorization = {
    from: account.address,
    to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    value: String(10_000 + index),
    validAfter: '0',
    validBefore: '1795171875',
    nonce: generatePrivateKey(),
  }
  const domain = {
    name: 'USD Coin',
    version: '2',
    chainId: 8453,
    verifyingContract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  } as const
  const data = { domain, types: TRANSFER, primaryType: 'TransferWithAuthorization', message: authorization } as const
  const signatures = [await account.signMessage({ message }), await account.signTypedData(data as never)]
  return { key, address: account.address, message, data, signatures }
}

test('both clients check deliveries: ours, those of the standard library, and changed ones', async () => {
  const secret = newWebhookSecret()
  const body = '{"type":"job.completed","jobId":"é"}'
  const now = Math.floor(Date.now() / 1_000)
  const headersOf = (atSeconds: number, secrets: string[]) => ({
    'Webhook-Id': 'msg_1',
    'webhook-timestamp': String(atSeconds),
    'webhook-signature': signByStandard({ id: 'msg_1', atSeconds, body }, secrets),
    'X-Service-Event': 'job.completed',
  })
  const standard = new Webhook(secret).sign('msg_2', new Date(now * 1_000), body)
  const cases: [body: string, headers: Record<string, string>, outcome: string][] = [
    [body, headersOf(now, [secret]), 'job.completed'],
    [body, headersOf(now, [newWebhookSecret(), secret]), 'job.completed'],
    [body, { 'webhook-id': 'msg_2', 'webhook-timestamp': String(now), 'webhook-signature': standard }, 'job.completed'],
    [body.replace('é', 'e'), headersOf(now, [secret]), 'the delivery was signed with another secret'],
    [body, headersOf(now, [newWebhookSecret()]), 'the delivery was signed with another secret'],
    [body, headersOf(now - 301, [secret]), 'the delivery was signed too long ago'],
    [body, {}, 'the headers of a delivery are missing'],
  ]
  for (const [content, headers, outcome] of cases) {
    const found = verifyWebhook(content, headers, secret).then(
      ({ type }) => type,
      (error: Error) => error.message,
    )
    expect(await found).toBe(outcome)
  }
  const found = await python(
    `
from coinop.webhooks import verify_mailbox_message, verify_webhook
secret, body, mark = given["secret"], given["body"], given["mark"]
events = [outcome(lambda: verify_webhook(content, headers, secret).type) for content, headers, _ in given["cases"]]
print(json.dumps([events, verify_mailbox_message(body, mark, secret), verify_mailbox_message(body + "!", mark, secret)]))`,
    { cases, secret, body, mark: signMailboxMessage(body, secret) },
  )
  expect(found).toEqual([cases.map(([, , outcome]) => outcome), true, false])
  expect(await verifyMailboxMessage(body, signMailboxMessage(body, secret), secret)).toBe(true)
  expect(await verifyMailboxMessage(`${body}!`, signMailboxMessage(body, secret), secret)).toBe(false)
})

test('both clients check witnesses offline, and find what was changed', async () => {
  const { api, proof, keys, content } = await openWitnessedLedger()
  await api[Symbol.asyncDispose]()
  const { entries: _, ...bare } = proof
  const [key] = keys.keys
  const text = content.toString('latin1')
  const changes: [proof: object, keys: object, content: string | undefined, outcome: object | string][] = [
    [proof, keys, text, { entries: 6, isChainChecked: true }],
    [proof, keys, undefined, { entries: 6, isChainChecked: true }],
    [bare, keys, text, { entries: 6, isChainChecked: false }],
    [proof, keys, `${text}!`, 'the content is not what was signed'],
    [{ ...proof, statement: { ...proof.statement, size: 1 } }, keys, undefined, 'the statement is not what was signed'],
    [{ ...proof, jws: `${proof.jws.slice(0, -4)}AAAA` }, keys, undefined, 'the statement is not what was signed'],
    [{ ...proof, entries: proof.entries.toReversed() }, keys, undefined, 'entry 1 is not what was chained'],
    [{ ...proof, entries: proof.entries.slice(1) }, keys, undefined, 'entry 1 is not what was chained'],
    [{ ...proof, entries: proof.entries.slice(0, 5) }, keys, undefined, 'the chain is not the one that was signed'],
    [proof, { keys: [] }, undefined, 'it was signed by none of these keys'],
    [{ ...proof, jws: 'not one' }, keys, undefined, 'it was signed by none of these keys'],
    [{ ...proof, jws: proof.jws.replace(/[^.]+$/, '!') }, keys, undefined, 'the statement is not what was signed'],
    [
      proof,
      { keys: [{ ...key, svc_not_after: '2020-01-01T00:00:00Z' }] },
      undefined,
      'it was signed after the key was retired',
    ],
  ]
  for (const [changed, set, bytes, outcome] of changes) {
    const given = bytes === undefined ? undefined : Uint8Array.from(Buffer.from(bytes, 'latin1'))
    const checked = verifyWitness(changed as WitnessProof, set as never, given)
    expect(await checked.catch((error: Error) => error.message)).toEqual(outcome)
  }
  const found = await python(
    `
from coinop.witness import verify_witness
def check(proof, keys, text):
    found = verify_witness(proof, keys, None if text is None else text.encode("latin1"))
    return {"entries": found["entries"], "isChainChecked": found["is_chain_checked"]}
print(json.dumps([outcome(lambda: check(proof, keys, text)) for proof, keys, text, _ in given]))`,
    changes.map(([changed, set, bytes, outcome]) => [changed, set, bytes ?? null, outcome]),
  )
  expect(found).toEqual(changes.map(([, , , outcome]) => outcome))
})

test('both clients check receipts offline, and find what was changed', async () => {
  const { api, owner, keys } = await openWitnessedLedger()
  const called = await owner.call('POST', '/v1/utils/base64', { action: 'decode', text: 'aMOp', outFormat: 'file' })
  const receipt: Receipt = (await owner.call('GET', `/v1/jobs/${called.headers['x-service-job-id']}/receipt`)).json()
  await api[Symbol.asyncDispose]()
  const [head, , signature] = receipt.receipt.split('.')
  const cheaper = { ...receipt.payload, price: {} }
  const forged = [head, Buffer.from(JSON.stringify(cheaper)).toString('base64url'), signature].join('.')
  const ended = keys.keys.map(key => ({ ...key, svc_not_after: '2020-01-01T00:00:00Z' }))
  const changes: [receipt: object | string, keys: object, file: string | undefined, outcome: object | string][] = [
    [receipt, keys, 'h\xc3\xa9', receipt.payload],
    [receipt.receipt, keys, undefined, receipt.payload],
    [receipt, keys, 'he', 'the file is none of those that went in or came out'],
    [{ ...receipt, payload: cheaper }, keys, undefined, 'the payload is not what was signed'],
    [{ ...receipt, receipt: forged }, keys, undefined, 'the receipt is not what was signed'],
    [`${receipt.receipt}.A`, keys, undefined, 'the receipt is not what was signed'],
    [receipt, { keys: [] }, undefined, 'it was signed by none of these keys'],
    ['', keys, undefined, 'it was signed by none of these keys'],
    ['not.a.receipt', keys, undefined, 'it was signed by none of these keys'],
    [`${Buffer.from('[]').toString('base64url')}..`, keys, undefined, 'it was signed by none of these keys'],
    [`${Buffer.from('null').toString('base64url')}..`, keys, undefined, 'it was signed by none of these keys'],
    [receipt.receipt.replace(/[^.]+$/, '!'), keys, undefined, 'the receipt is not what was signed'],
    [receipt.receipt.replace(/[^.]+$/, 'A'), keys, undefined, 'the receipt is not what was signed'],
    [receipt, { keys: ended }, undefined, 'it was signed after the key was retired'],
  ]
  for (const [given, set, text, outcome] of changes) {
    const file = text === undefined ? undefined : Uint8Array.from(Buffer.from(text, 'latin1'))
    const checked = verifyReceipt(given as Receipt, set as never, file)
    expect(await checked.catch((error: Error) => error.message)).toEqual(outcome)
  }
  const found = await python(
    `
from coinop.receipt import verify_receipt
print(json.dumps([outcome(lambda: verify_receipt(receipt, keys, None if text is None else text.encode("latin1"))) for receipt, keys, text, _ in given]))`,
    changes.map(([given, set, text, outcome]) => [given, set, text ?? null, outcome]),
  )
  expect(found).toEqual(changes.map(([, , , outcome]) => outcome))
})
