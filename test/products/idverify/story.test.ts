import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { rows, value } from '../../../sql/db.ts'
import { checkInvariants } from '../../../sql/ledger.ts'
import { eraseAccount, exportAccount } from '../../../sql/product/account-data.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { sharedPools } from '../../support/pools/open.ts'
import type { InProcessApi } from '../../support/stack/in-process-api.ts'
import { openWakingApi } from '../../support/stack/waking-api.ts'
import { openParts, uuidOf } from './parts.ts'
import { drawPassport, PASSPORT } from './passport.ts'

let api: InProcessApi
let pools: Pools
let passport: Buffer
let parts: ReturnType<typeof openParts>
beforeAll(async () => {
  ;[api, pools, passport] = await Promise.all([
    openWakingApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' }),
    sharedPools(),
    drawPassport(),
  ])
  parts = openParts(api, pools)
  await allowReviews(api)
})
afterAll(async () => {
  expect(await checkInvariants(api.context.db)).toEqual([])
  await api[Symbol.asyncDispose]()
})

test('a person sends a passport by the page, the machine reads it, and a person decides', async () => {
  const owner = await parts.openOwner()
  const subject = { firstName: 'Jana', lastName: 'Muster', dob: PASSPORT.dob }
  const made = await owner.begin({
    minAge: 18,
    referenceId: 'customer-7',
    subject,
    redirectUrl: 'https://shop.example/done',
  })
  expect(made.status).toBe('created')
  expect(await owner.money()).toEqual([950_000n, 0n])
  const browser = parts.openBrowserOf(made)
  expect((await browser.look()).body).toContain('Verify your identity')
  expect((await owner.ask('GET', `/${made.id}`)).body.status).toBe('created')
  expect((await browser.begin()).statusCode).toBe(303)
  expect((await browser.look()).body).toMatch(/name="front" type="file" accept="image\/jpeg,[^"]*" +required>/)
  const change = owner.ask('GET', `/${made.id}/status?since=started&waitSec=30`)
  expect((await browser.send({ front: passport })).statusCode).toBe(303)
  expect((await browser.look()).body).toContain('being read')
  await parts.read()
  expect((await change).body).toMatchObject({ status: 'manual_review', decision: null })
  const { body } = await owner.ask('GET', `/${made.id}`)
  expect(body).toMatchObject({
    ...{ status: 'manual_review', reasonCodes: [], attemptsUsed: 1, reading: false, age: expect.any(Number) },
    document: { type: 'passport', issuingCountry: 'DEU', dob: PASSPORT.dob, mrzValid: true, number: '******6W8' },
  })
  expect(
    Object.fromEntries(body.checks.map((one: { name: string; result: string }) => [one.name, one.result])),
  ).toMatchObject({
    ...{ document_read: 'pass', document_type: 'pass', mrz_check_digits: 'pass', expiry: 'pass', age: 'pass' },
    ...{ subject: 'pass', printed_data: 'pass', duplicate_document: 'pass', authenticity: 'review' },
  })
  expect(body.hostedUrl).toBeUndefined()
  expect((await owner.ask('GET', `/${made.id}?reveal=true`)).body.document.number).toBe(PASSPORT.number)
  expect(await parts.readReport(owner, made.id)).toMatch(
    /manual review[\s\S]*customer-7[\s\S]*MUSTER[\s\S]*authenticity/,
  )
  const reviewer = await parts.openReviewer()
  const id = uuidOf(made.id)
  expect((await reviewer.get()).body).toContain(id)
  const page = (await reviewer.get(`/${id}`)).body
  const [image] = /src="[^"]*\/([0-9a-f-]{36})"/.exec(page)!.slice(1)
  const shown = await reviewer.get(`/${id}/${image}`)
  expect([shown.headers['content-type'], shown.rawPayload.equals(passport)]).toEqual(['image/png', true])
  expect((await reviewer.decide(made.id, { decision: 'approved', note: 'Looks right' })).statusCode).toBe(303)
  expect((await reviewer.decide(made.id, { decision: 'declined' })).statusCode).toBe(409)
  expect((await owner.ask('GET', `/${made.id}`)).body).toMatchObject({
    status: 'completed',
    decision: 'approved',
    reviewedBy: 'operator',
  })
  expect((await browser.look()).body).toContain('https://shop.example/done')
  const sent = await owner.events()
  expect(sent.map(({ event }) => event.slice('verification.'.length))).toEqual([
    ...['started', 'document_processed', 'age_check', 'manual_review', 'completed'],
  ])
  expect(sent[1]!.payload).toMatchObject({
    verificationId: made.id,
    referenceId: 'customer-7',
    documentType: 'passport',
    country: 'DEU',
    mrzValid: true,
    quality: 'good',
  })
  expect(JSON.stringify(sent)).not.toMatch(new RegExp(`${PASSPORT.number}|MUSTER|${PASSPORT.dob}`, 'i'))
  expect(await owner.money()).toEqual([950_000n, 0n])
})

test('what is not what it should be is asked for again with the reason, until the attempts are used', async () => {
  const owner = await parts.openOwner()
  const made = await owner.begin({ maxAttempts: 2, locale: 'de' })
  const browser = parts.openBrowserOf(made)
  await browser.begin()
  expect((await browser.send({})).body).toContain('Wählen Sie ein Bild')
  const fake = await browser.send({ front: Buffer.from('<svg onload="x">') })
  expect([fake.statusCode, fake.body]).toEqual([422, expect.stringContaining('kein lesbares Bild')])
  const blank = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#777' } })
    .png()
    .toBuffer()
  await browser.send({ front: blank })
  expect((await browser.send({ front: blank })).statusCode).toBe(409)
  await parts.read()
  const page = (await browser.look()).body
  expect(page).toContain('<html lang="de">')
  expect(page).toContain('Verbleibende Versuche: 1')
  expect(page).toContain('unscharf')
  expect((await owner.ask('GET', `/${made.id}`)).body).toMatchObject({
    ...{ status: 'started', attemptsUsed: 1, reasonCodes: ['DOC_UNREADABLE', 'IMAGE_BLURRY'] },
  })
  await browser.send({ front: blank })
  await parts.read()
  expect((await owner.ask('GET', `/${made.id}`)).body).toMatchObject({ status: 'failed', decision: null })
  expect((await owner.events()).map(({ event }) => event)).toEqual(['verification.started', 'verification.failed'])
  expect((await owner.ask('POST', `/${made.id}/cancel`)).body).toMatchObject({
    code: 'VERIFICATION_TERMINAL',
    status: 'failed',
  })
})

test('images of the caller are read at once, and what is expired or a specimen is declined by its check digits', async () => {
  const owner = await parts.openOwner()
  const inline = (await readFile('tasks/samples/passport.png')).toString('base64')
  const made = await owner.begin({ documents: { front: { inline } } })
  expect(made.status).toBe('started')
  await parts.read()
  const { body } = await owner.ask('GET', `/${made.id}`)
  expect(body).toMatchObject({ status: 'completed', decision: 'declined', reviewedBy: null })
  expect(body.reasonCodes).toEqual(expect.arrayContaining(['DOC_EXPIRED', 'MRZ_SPECIMEN']))
  const other = await owner.begin({ documents: { front: { inline } }, countries: ['DEU'] })
  await parts.read()
  expect((await owner.ask('GET', `/${other.id}`)).body).toMatchObject({
    status: 'started',
    reasonCodes: expect.arrayContaining(['COUNTRY_NOT_ALLOWED']),
  })
  const listed = await owner.ask('GET', '?status=completed&limit=1')
  expect(listed.body).toMatchObject({ data: [{ id: made.id }], hasMore: false })
})

test('a passport of unspecified nationality is no specimen, and is left to a person', async () => {
  const owner = await parts.openOwner()
  const image = await drawPassport('XXX')
  const made = await owner.begin({ documents: { front: { inline: image.toString('base64') } } })
  await parts.read()
  const { body } = await owner.ask('GET', `/${made.id}`)
  expect([body.status, body.decision, body.document.issuingCountry]).toEqual(['manual_review', null, 'XXX'])
  expect(body.reasonCodes).not.toContain('MRZ_SPECIMEN')
})

test('a typed zone, another person and a document seen before are left to a person', async () => {
  const owner = await parts.openOwner()
  const front = { inline: passport.toString('base64') }
  const first = await owner.begin({ documents: { front }, referenceId: 'one' })
  await parts.read()
  const second = await owner.begin({
    documents: { front },
    referenceId: 'two',
    minAge: 18,
    subject: { lastName: 'Otherwise' },
  })
  await parts.read()
  expect((await owner.ask('GET', `/${second.id}`)).body).toMatchObject({
    ...{ status: 'manual_review', reasonCodes: ['DATA_MISMATCH', 'DUPLICATE_DOCUMENT'] },
  })
  expect((await owner.ask('GET', `/${first.id}`)).body.reasonCodes).toEqual([])
  const duplicateOf = async ({ id }: { id: string }) =>
    (await owner.ask('GET', `/${id}`)).body.checks.find(({ name }: { name: string }) => name === 'duplicate_document')
  expect([(await duplicateOf(first)).result, (await duplicateOf(second)).result]).toEqual(['pass', 'review'])
  const other = await parts.openOwner()
  const unnamed = [await other.begin({ documents: { front } }), await other.begin({ documents: { front } })]
  await parts.read()
  for (const { id } of unnamed)
    expect((await other.ask('GET', `/${id}`)).body.checks).toContainEqual({
      ...{ name: 'duplicate_document', result: 'skipped' },
      detail: 'it takes a referenceId and the number of the document',
    })
  const blank = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#777' } })
    .png()
    .toBuffer()
  const typed = await owner.begin({
    documents: { front: { inline: blank.toString('base64') }, mrz: PASSPORT.zone.join('\n') },
  })
  await parts.read()
  const { body } = await owner.ask('GET', `/${typed.id}`)
  expect([body.status, body.document.names]).toEqual(['manual_review', { first: 'JANA', last: 'MUSTER' }])
  expect(body.checks[0]).toEqual({ name: 'document_read', result: 'review', detail: 'only the typed zone' })
})

test('a link works in one browser, and other tokens find nothing', async () => {
  const owner = await parts.openOwner()
  const made = await owner.begin()
  const [first, second] = [parts.openBrowserOf(made), parts.openBrowserOf(made)]
  await first.begin()
  expect((await second.look()).statusCode).toBe(410)
  expect((await second.begin()).statusCode).toBe(410)
  expect((await second.send({ front: passport })).statusCode).toBe(410)
  expect((await first.look()).statusCode).toBe(200)
  const guessed = parts.openBrowserOf({ hostedUrl: `http://x/verify/vt_${'A'.repeat(43)}` })
  expect((await guessed.look()).statusCode).toBe(404)
  expect((await api.app.inject({ method: 'GET', url: `/review/identity/idr_${'A'.repeat(43)}` })).statusCode).toBe(404)
  const { pathname } = new URL(made.hostedUrl)
  const foreign = await api.app.inject({ method: 'POST', url: pathname, headers: { origin: 'https://evil.example' } })
  expect(foreign.statusCode).toBe(403)
})

test('one that is never opened gives most of its price back, and one that was opened does not', async () => {
  const owner = await parts.openOwner()
  const [unopened, opened] = [await owner.begin(), await owner.begin()]
  await parts.openBrowserOf(opened).begin()
  expect(await owner.money()).toEqual([900_000n, 0n])
  await parts.read()
  expect((await owner.ask('GET', `/${unopened.id}`)).body.status).toBe('created')
  await rows(api.context.db, 'update svc.idverify set expires_at = now() where account_id = $1', [owner.accountId])
  expect((await parts.openBrowserOf(unopened).look()).statusCode).toBe(410)
  await parts.read()
  await parts.read()
  expect((await owner.ask('GET', '?status=expired')).body.data).toHaveLength(2)
  expect(await owner.money()).toEqual([940_000n, 0n])
  expect((await owner.events()).map(({ event }) => event)).toEqual([
    ...['verification.started', 'verification.expired', 'verification.expired'],
  ])
})

test('after its retention, an erasure or the end of the account, no image and nothing personal is left', async () => {
  const owner = await parts.openOwner()
  const { db, store, config } = api.context
  const documents = { front: { inline: passport.toString('base64') } }
  const mentions = () =>
    value<bigint>(db, "select count(*) from svc.idverify v where account_id = $1 and v::text ilike '%muster%'", [
      owner.accountId,
    ])
  const kept = await owner.begin({ documents, subject: { lastName: 'Muster' }, retentionDays: 1 })
  const erased = await owner.begin({ documents })
  const last = await owner.begin({ documents, referenceId: 'last' })
  await parts.read()
  expect(await parts.readReport(owner, erased.id)).toContain('MUSTER')
  await owner.ask('POST', `/${kept.id}/cancel`)
  expect([await parts.listFiles(kept.id), await parts.listFiles(erased.id)].map(({ length }) => length)).toEqual([1, 2])
  expect((await owner.ask('DELETE', `/${erased.id}`)).body).toMatchObject({
    status: 'cancelled',
    document: null,
    purgedAt: expect.any(String),
  })
  await parts.read()
  expect([await parts.listFiles(kept.id), await parts.listFiles(erased.id)].map(({ length }) => length)).toEqual([1, 0])
  await rows(db, 'update svc.idverify set purge_at = now() where id = $1', [uuidOf(kept.id)])
  await parts.read()
  expect(await parts.listFiles(kept.id)).toEqual([])
  expect((await owner.ask('GET', `/${kept.id}`)).body).toMatchObject({ status: 'cancelled', document: null, age: null })
  expect(await mentions()).toBe(1n)
  expect(JSON.stringify((await exportAccount(db, owner.accountId)).idverify)).toContain('MUSTER')
  await eraseAccount(db, store, owner.accountId)
  expect([await mentions(), await parts.listFiles(last.id)]).toEqual([0n, []])
  const files = await readdir(join(config.dataDir, 'objects'), { recursive: true }).catch(() => [])
  expect(files.filter(name => name.includes(uuidOf(last.id)) && name.split('/').length > 3)).toEqual([])
})

test('a face alone is always left to a person, with the digits it was asked to show', async () => {
  const owner = await parts.openOwner()
  const made = await owner.begin({ type: 'liveness' })
  const browser = parts.openBrowserOf(made)
  await browser.begin()
  const page = (await browser.look()).body
  const [digits] = /<strong class="big">(\d{4})</.exec(page)!.slice(1)
  expect(page).toContain('capture="user"')
  expect(page).not.toContain('corners')
  await browser.send({ selfie: passport })
  await parts.read()
  const { body } = await owner.ask('GET', `/${made.id}`)
  expect(body).toMatchObject({ status: 'manual_review', document: null })
  const reviewer = await parts.openReviewer()
  expect((await reviewer.get(`/${uuidOf(made.id)}`)).body).toContain(`<strong>${digits}</strong>`)
  await reviewer.decide(made.id, { decision: 'declined', reason: 'LIVENESS_FAILED' })
  expect((await owner.ask('GET', `/${made.id}`)).body).toMatchObject({
    decision: 'declined',
    reasonCodes: ['LIVENESS_FAILED'],
  })
})
