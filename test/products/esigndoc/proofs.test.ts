import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rows } from '../../../sql/db.ts'
import { encodePng } from '../../support/images/png.ts'
import { openMailServer } from '../../support/mail/server.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { type LocalServer, openLocalServer } from '../../support/servers/local.ts'
import {
  type EnvelopeApi,
  inspectPdf,
  LETTER,
  openEnvelopeApi,
  openSender,
  openSigner,
  SIGNATURE,
  tokenOf,
} from './parts.ts'

let home: EnvelopeApi
let owner: Awaited<ReturnType<typeof openSender>>
let mail: Awaited<ReturnType<typeof openMailServer>>
let texts: LocalServer
const texted: string[] = []
beforeAll(async () => {
  mail = await openMailServer()
  texts = await openLocalServer(({ body }) => {
    texted.push(new URLSearchParams(body).get('Body')!)
    return { sid: 'SM1' }
  })
  const sms = { TWILIO_ACCOUNT: 'AC1', TWILIO_TOKEN: 't', TWILIO_FROM: '+15005550006', TWILIO_URL: texts.url }
  home = await openEnvelopeApi({ SMTP_URL: mail.url, ...sms })
  owner = await openSender(home, 20_000_000n)
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
  await Promise.all([mail[Symbol.asyncDispose](), texts[Symbol.asyncDispose]()])
})

async function openFor(recipient: object, more: object = {}) {
  const recipients = [{ name: 'Ida', delivery: 'link', ...recipient }]
  const made = await owner.send({ file: await LETTER(), title: 'Lease', recipients, fields: [SIGNATURE], ...more })
  return { made, signer: openSigner(home, tokenOf(made, 'Ida')) }
}

/** What the database remembers of a code is moved into the past. */
async function ageCode(id: string, seconds: number): Promise<void> {
  const uuid = id.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const change =
    'update svc.envelope_recipient set code_until = code_until - make_interval(secs => $2) where envelope_id = $1'
  await rows(home.api.context.db, change, [uuid, seconds])
}

const CODES = {
  email_otp: () => mail.mails.findLast(one => /to sign/.test(one))!,
  sms_otp: () => texted.at(-1)!,
}

test.each([
  ['email_otp', { email: 'ida@example.com' }],
  ['sms_otp', { phone: '+491701234567' }],
] as const)('a code of %s admits the one who got it, but neither a wrong one nor an old one', async (method, to) => {
  const before = await owner.money()
  const { made, signer } = await openFor({ ...to, verification: method })
  expect(before[0] - (await owner.money())[0]).toBe(method === 'sms_otp' ? 350_000n : 300_000n)
  expect((await signer.look()).body).toMatchObject({ isAdmitted: false, files: [], fields: [] })
  expect((await signer.complete()).body).toMatchObject({ code: 'VERIFICATION_REQUIRED', method })
  const ask = async () => {
    const answer = await signer.call('POST', '/otp')
    await home.work()
    return answer
  }
  const prove = (code: string) => signer.call('POST', '/verify', { code })
  const read = () => /\b(\d{6})\b/.exec(CODES[method]().split('\n\n').slice(-2).join(' '))![1]!
  expect((await ask()).status).toBe(202)
  expect((await ask()).body).toMatchObject({ code: 'CODE_SENT_RECENTLY', retryAfterSeconds: expect.any(Number) })
  const old = read()
  await ageCode(made.id, 601)
  expect((await prove(old)).body.code).toBe('CODE_WRONG')
  expect((await ask()).status).toBe(202)
  const code = read()
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
  expect((await prove(wrong)).body).toMatchObject({ code: 'CODE_WRONG', triesLeft: 9 })
  expect((await signer.call('GET', '/document')).status).toBe(403)
  expect((await prove(code)).body).toMatchObject({ isAdmitted: true, session: expect.any(String) })
  expect((await openSigner(home, signer.token).complete()).body.code).toBe('VERIFICATION_REQUIRED')
  expect((await signer.complete()).status).toBe(200)
  const outbox = await owner.call('GET', `/v1/esigndoc/envelopes/${made.id}/outbox`)
  expect(JSON.stringify(outbox.body)).not.toContain(code)
})

test('neither codes nor tries are without an end', async () => {
  const other = await openFor({ email: 'ida@example.com', verification: 'email_otp' })
  await other.signer.call('POST', '/otp')
  for (let tries = 0; tries < 9; tries++) await other.signer.call('POST', '/verify', { code: 'no' })
  expect((await other.signer.call('POST', '/verify', { code: 'no' })).body.code).toBe('CODE_WRONG')
  expect((await other.signer.call('POST', '/verify', { code: 'no' })).body.code).toBe('CODES_EXHAUSTED')
  for (let sent = 1; sent < 10; sent++) {
    await ageCode(other.made.id, 31)
    expect((await other.signer.call('POST', '/otp')).status).toBe(202)
  }
  await ageCode(other.made.id, 31)
  expect((await other.signer.call('POST', '/otp')).body.code).toBe('CODES_EXHAUSTED')
})

test('an access code and a wallet admit, and nothing else does', async () => {
  const { signer } = await openFor({ verification: 'access_code', accessCode: 'blue door' })
  expect((await signer.call('POST', '/otp')).body.code).toBe('VERIFICATION_REQUIRED')
  expect((await signer.call('POST', '/verify', { code: 'red door' })).body.code).toBe('CODE_WRONG')
  expect((await signer.call('POST', '/verify', { code: ' blue door ' })).body.isAdmitted).toBe(true)
  const [wallet, thief] = [privateKeyToAccount(generatePrivateKey()), privateKeyToAccount(generatePrivateKey())]
  const { signer: holder } = await openFor({ verification: 'wallet', wallet: wallet.address })
  const { walletProof } = (await holder.look()).body
  const prove = async (by: typeof wallet, address = by.address, signedAt = walletProof.message.signedAt) => {
    const message = { ...walletProof.message, signedAt }
    const signature = await by.signTypedData({ ...walletProof, message })
    return holder.call('POST', '/verify', { wallet: { address, signature, signedAt } })
  }
  expect((await prove(thief)).body.code).toBe('CODE_WRONG')
  expect((await prove(thief, wallet.address)).body.code).toBe('CODE_WRONG')
  expect((await prove(wallet, wallet.address, walletProof.message.signedAt - 3_600)).body.code).toBe('CODE_WRONG')
  expect((await prove(wallet)).body.isAdmitted).toBe(true)
  expect((await holder.complete()).status).toBe(200)
})

test('a verified identity admits once people have approved it; without a way to verify nothing is charged', async () => {
  const { context } = home.api
  const before = await owner.money()
  const asked = { recipients: [{ name: 'Ida', verification: 'idverify', verificationId: `idv_${'0'.repeat(32)}` }] }
  const body = { file: await LETTER(), fields: [SIGNATURE], ...asked }
  const refused = await owner.call('POST', '/v1/esigndoc/envelopes', body)
  expect(refused.body).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', capability: 'idverify' })
  await allowReviews(home.api)
  expect((await owner.call('POST', '/v1/esigndoc/envelopes', body)).body.code).toBe('NOT_FOUND')
  expect(await owner.money()).toEqual(before)
  const { body: verification } = await owner.call('POST', '/v1/idverify/verifications', { type: 'document' })
  const { signer } = await openFor({ verification: 'idverify', verificationId: verification.id })
  expect((await signer.call('POST', '/verify')).body.code).toBe('CODE_WRONG')
  const uuid = (verification.id as string).slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  await rows(context.db, "update svc.idverify set decision = 'approved' where id = $1", [uuid])
  expect((await signer.call('POST', '/verify')).body.isAdmitted).toBe(true)
  await allowReviews(home.api, null)
})

const draw = (stroke: string, width = 300) =>
  sharp(
    Buffer.from(
      `<svg width="${width}" height="90"><path d="M5 80 L150 10 L290 70" stroke="${stroke}" stroke-width="6" fill="none"/></svg>`,
    ),
  )

const UPLOADS: [what: string, bytes: () => Promise<Buffer> | Buffer, code: string | undefined][] = [
  ['an image with a line', () => draw('#123').png().toBuffer(), undefined],
  ['a photo of a line', () => draw('#123').flatten({ background: '#fff' }).jpeg().toBuffer(), undefined],
  ['an image of nothing', () => draw('none').png().toBuffer(), 'SIGNATURE_EMPTY'],
  ['white paper', () => draw('#fff').flatten({ background: '#fff' }).jpeg().toBuffer(), 'SIGNATURE_EMPTY'],
  ['a text', () => Buffer.from('I am Ida'), 'UNSUPPORTED_FORMAT'],
  ['a PDF', () => readFile('tasks/samples/letter.pdf'), 'UNSUPPORTED_FORMAT'],
  ['what breaks off', async () => (await draw('#123').png().toBuffer()).subarray(0, 200), 'IMAGE_DECODE_FAILED'],
  ['what claims to be huge', () => encodePng(60_000, 60_000, Buffer.alloc(10)), 'TOO_MANY_PIXELS'],
  ['a huge file', () => Buffer.concat([encodePng(9, 9, Buffer.alloc(10)), Buffer.alloc(6_000_000)]), 'INPUT_TOO_LARGE'],
]

test('a signature is uploaded as an image that shows one, and every other file is refused', async () => {
  for (const [what, make, code] of UPLOADS) {
    const { made, signer } = await openFor({})
    const data = Buffer.from(await make()).toString('base64')
    const answer = await signer.complete({ signature: { mode: 'upload', data } })
    expect([what, answer.status < 300 ? undefined : answer.body.code], JSON.stringify(answer.body)).toEqual([
      what,
      code,
    ])
    if (code !== undefined) continue
    await home.work()
    const { body } = await owner.call('GET', `/v1/esigndoc/envelopes/${made.id}/signed-document`)
    expect((await inspectPdf(Buffer.from(body.output.inline, 'base64'))).signatures).toContain('Signature is Valid')
  }
})
