import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { newId } from '#kit'
import { openDb } from '../../sql/db.ts'
import { openJobs } from '../../sql/job.ts'
import { registerWebhook, sendTestEvent } from '../../sql/webhook/endpoints.ts'
import { joinWorkers } from '../../sql/worker.ts'
import { freshDatabase } from '../support/database/fresh.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { runCli } from '../support/stack/run-cli.ts'

const CLI = fileURLToPath(new URL('../../ops/cli.ts', import.meta.url))
const SECRET = 'a secret of the test, long enough'

async function openCli() {
  const database = await freshDatabase()
  const cli = (...args: string[]) => runCli({ DATABASE_URL: database.url, SECRET }, ...args)
  return {
    cli,
    url: database.url,
    json: async (...args: string[]) => JSON.parse((await cli(...args, '--json')).stdout) as Record<string, unknown>,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

test('an operator creates an account, adds money, creates a key and suspends the account', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const { id } = await json('account', 'create', '--name', 'Bob')
  const account = String(id)
  expect(await json('account', 'credit', account, '1.50')).toMatchObject({ balanceMicros: '1500000' })
  expect((await cli('key', 'create', account)).stdout).toMatch(/^svc_live_[0-9a-f]{32}$/)
  const { url } = await json('account', 'link', account)
  expect(url).toMatch(/\/sign-in\/link\/[\w-]{43}$/)
  expect(await json('account', 'suspend', account)).toMatchObject({ name: 'Bob', suspendedAt: expect.any(String) })
  expect(await json('account', 'resume', account)).toMatchObject({ suspendedAt: null, balanceMicros: '1500000' })
  const rule = ['account', 'lanes', account, '--share', '25', '--running', '2', '--urgency', 'low']
  expect(await json(...rule)).toEqual({ sharePercent: 25, maxRunning: 2, urgency: 1 })
  expect((await cli('account', 'lanes', account, '--running', 'default')).stdout).toMatch(/running +standard/)
  expect((await cli('account', 'lanes', account)).stdout).toMatch(/share +25[\s\S]*urgency +low/)
  for (const share of ['0', '500'])
    expect(await cli('account', 'lanes', account, '--share', share)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--share is between 1 and 100, or default.'),
    })
})

test('a reference is credited once, whoever repeats it', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const [account, other] = [String((await json('account', 'create')).id), String((await json('account', 'create')).id)]
  const credit = (id: string, usd: string) => ['account', 'credit', id, usd, '--reference', 'wire 17']
  const both = await Promise.all([cli(...credit(account, '5')), cli(...credit(account, '5'))])
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  const before = /^The reference wire 17 was credited with 5 USD at \S+Z; nothing was moved\. balance 5 USD$/
  expect(both.filter(({ stdout }) => before.test(stdout))).toHaveLength(1)
  expect(await json(...credit(account, '5'))).toMatchObject({
    balanceMicros: '5000000',
    creditedBefore: expect.any(String),
  })
  expect(await cli(...credit(account, '6'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('with 5 USD at'),
  })
  expect(await json(...credit(other, '6'))).toMatchObject({ balanceMicros: '6000000', creditedBefore: null })
  expect(await json('account', 'show', account)).toMatchObject({ balanceMicros: '5000000' })
})

test('settings, prices and pools are changed and restored', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  expect((await cli('setting', 'set', 'api.wait_seconds', '30')).stdout).toBe('api.wait_seconds is 30')
  expect((await cli('setting', 'get', 'api.wait_seconds')).stdout).toBe('30')
  expect(await json('setting', 'set', 'api.wait_seconds', 'default')).toMatchObject({ value: 25 })
  expect(await json('price', 'set', 'utils.uuid', '0.002')).toMatchObject({ rateMicros: '2000', baseMicros: '0' })
  expect(await json('pool', 'set', 'program', '3')).toEqual({ lane: 'program', concurrency: 3 })
  expect(await json('pool', 'list')).toContainEqual(
    expect.objectContaining({ lane: 'program', setting: 3, workers: 0 }),
  )
})

test('what is not there is named', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const account = String((await json('account', 'create')).id)
  const { id } = await json('incident', 'open', 'Slow files', 'We look.', '--components', 'storage,lane:native')
  expect(await json('incident', 'resolve', String(id), 'Done.')).toMatchObject({ state: 'resolved' })
  const refused: [words: string[], sentence: string][] = [
    [['incident', 'open', 'T', 'x', '--components', 'storage,lane:nothing'], 'There is no component "lane:nothing"'],
    [['incident', 'open', '', 'We look.'], 'title: It has 1 to 200 characters.'],
    [['incident', 'open', 'Slow files', ' '], 'text: It has 1 to 4000 characters.'],
    [['incident', 'resolve', String(id), 'Again.'], `There is no open incident ${id}.`],
    [['operator', 'role', 'nobody', 'full'], 'There is no operator nobody.'],
    [['provider', 'usage', '--days', '999999999'], '--days must be 36500 at most, not 999999999.'],
    [['account', 'list', '--limit', '9999999999'], '--limit must be 999999999 at most, not 9999999999.'],
    [['idverify', 'link', 'Ida', '--hours', '99999999'], '--hours must be 720 at most, not 99999999.'],
    [['key', 'revoke', account, 'svc_live_nope'], 'The account has no key svc_live_nope.'],
  ]
  for (const [words, sentence] of refused)
    expect(await cli(...words)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(sentence) })
})

test('a waiting job is started, cancelled and shown', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const account = String((await json('account', 'create')).id)
  await cli('account', 'credit', account, '1')
  const id = newId()
  const jobs = openJobs(fixture.url, 'test')
  const call = { id, accountId: account, serviceKey: 'pdf.merge', lane: 'program', amountMicros: 1000n, seconds: 600 }
  expect(await jobs.intake({ ...call, payload: JSON.stringify({ id }) })).toBeUndefined()
  await jobs.close()
  expect(await json('job', 'list', '--status', 'submitted')).toMatchObject([{ id, serviceKey: 'pdf.merge' }])
  expect(await json('job', 'retry', id)).toEqual({ id, outcome: 'hurried' })
  expect(await json('job', 'cancel', id)).toEqual({ id, outcome: 'cancelled' })
  expect(await json('job', 'show', id)).toMatchObject({ status: 'failed', problem: { code: 'JOB_CANCELLED' } })
  expect(await json('account', 'show', account)).toMatchObject({ balanceMicros: '1000000', heldMicros: '0' })
  expect(await cli('job', 'retry', id)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('already ended') })
})

test('the webhooks of an account and their deliveries are listed, and one is sent again', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const account = String((await json('account', 'create')).id)
  const db = openDb(fixture.url, { name: 'test', size: 1 })
  const fields = { url: 'https://a.example/', events: ['job.completed'], description: null, secret: 'sealed' }
  const { id } = await registerWebhook(db, { id: newId(), accountId: account, ...fields }, 1)
  const { id: delivery } = await sendTestEvent(db, account, id)
  await db.end()
  expect((await cli('webhook', 'list', account)).stdout).toMatch(/https:\/\/a.example\/ +healthy/)
  expect(await json('webhook', 'deliveries', account, id)).toMatchObject([{ id: delivery, event: 'webhook.test' }])
  expect(await json('webhook', 'redeliver', account, id, delivery)).toMatchObject({ id: delivery, status: 'PENDING' })
  expect((await cli('webhook', 'deliveries', account, delivery)).exitCode).toBe(1)
})

test('the doctor tries the tools itself when no worker is running, and otherwise asks the workers', async () => {
  await using fixture = await openCli()
  const { cli, json } = fixture
  const findings = await json('doctor')
  expect(findings).toMatchObject({
    workers: 0,
    tools: expect.arrayContaining([expect.objectContaining({ name: 'qpdf' })]),
  })
  const db = openDb(fixture.url, { name: 'test', size: 1 })
  const tools = [{ name: 'qpdf', lane: 'program', ok: true, version: '99.9' }] as const
  await joinWorkers(db, { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes: { program: 1 }, tools })
  await db.end()
  const { stdout } = await cli('doctor')
  expect(stdout).toMatch(/^tool +state +version +lane$/m)
  expect(stdout).toMatch(/^qpdf +works +99\.9 +program$/m)
})

test.each([
  [[]],
  [['account']],
  [['account', 'borrow']],
  [['toString', 'x']],
  [['doctor', 'now']],
  [['account', 'credit', 'x']],
  [['key', 'create', '--x', 'y']],
])('prints the usage for %j and exits 2', async args => {
  const { exitCode, stdout, stderr } = await runCli({}, ...args)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(/^usage: npm run -s cli -- /)
})

test.each([
  [['account', 'credit', 'x', '-5'], "Unknown option '-5'."],
  [['account', 'credit', 'x', '5', '--refernce', 'y'], "Unknown option '--refernce'."],
  [['account', 'credit', 'x'], 'It takes 2 arguments, and got 1.'],
  [['account', 'list', '--limit', '-1'], "'--limit"],
])('says why %j does not fit', async (args, reason) => {
  const { exitCode, stderr } = await runCli({}, ...args)
  expect([exitCode, stderr.split('\n')[1]]).toEqual([2, expect.stringContaining(reason)])
})

test('a failure is reported in one sentence, and the command exits 1', async () => {
  await using fixture = await openCli()
  const { cli } = fixture
  const unknownId = newId()
  const failures = await Promise.all([
    cli('account', 'show', unknownId),
    cli('account', 'show', 'me'),
    cli('account', 'credit', unknownId, '1'),
    cli('setting', 'set', 'api.wait_seconds', '999'),
    cli('price', 'set', 'utils.nothing', '1'),
    cli('pool', 'set', 'gpu', '1'),
    cli('job', 'show', unknownId),
  ])
  for (const { exitCode, stdout, stderr } of failures) {
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^coinop: [^\n]+\.?$/)
  }
})

test('a command in a folder without an installation says what is missing and creates nothing', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'elsewhere')
  const run = (env: Record<string, string>) => runCli({ DATA_DIR: dataDir, ...env }, 'account', 'create')
  const [embedded, external] = [await run({}), await run({ DATABASE_URL: 'postgres://localhost:1/x' })]
  expect(embedded).toMatchObject({ exitCode: 1, stdout: '' })
  expect(embedded.stderr).toBe(
    `coinop: There is no installation in ${dataDir}; set DATA_DIR or DATABASE_URL to those of the service, or run npm start to begin one there.`,
  )
  expect(external.stderr).toContain(`The secret of the service is not in ${dataDir}`)
  expect(existsSync(dataDir)).toBe(false)
})

test('a process has the exit code and prints the output or the failure', async () => {
  await using database = await freshDatabase()
  const env = { DATABASE_URL: database.url, SECRET }
  const run = (...args: string[]) => execa(process.execPath, [CLI, ...args, '--json'], { env, reject: false })
  const [listed, failed] = await Promise.all([run('account', 'list'), run('account', 'show', 'me')])
  expect([listed.exitCode, listed.stdout, listed.stderr]).toEqual([0, '[]', ''])
  expect([failed.exitCode, failed.stdout]).toEqual([1, ''])
  expect(JSON.parse(failed.stderr)).toEqual({ error: expect.any(String) })
})

/** Prints the names of the loaded files at the end. */
const LIST_FILES = `import { registerHooks } from 'node:module'
const files = []
registerHooks({ load(url, context, next) { if (url.startsWith('file:')) files.push(url); return next(url, context) } })
process.on('exit', () => console.error(files.join(' ')))`

test('help loads only the declarations of the commands', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(LIST_FILES)}`
  const { stdout, stderr } = await execa(process.execPath, ['--import', preload, CLI, '--help'])
  expect(stdout).toContain('account create [--name ..]')
  const loaded = stderr.split(' ').map(url => url.split('/ops/')[1])
  const ofProducts = ['contract', 'idverify', 'location', 'receipt', 'screening', 'webhook', 'witness'].map(
    name => `products/${name}/cli/nouns.ts`,
  )
  expect(loaded.sort()).toEqual(
    ['cli.ts', 'cli/commands.ts', 'cli/nouns.ts', 'plugins/cli/nouns.ts', ...ofProducts].sort(),
  )
  expect(stdout).toContain('witness rotate')
})

test('the key of witnesses is rotated and imported, and listed without its private part', async () => {
  await using fixture = await openCli()
  await using folder = await freshFolder()
  const { cli, json } = fixture
  const made = await json('witness', 'rotate')
  const path = join(folder.path, 'key.pem')
  await writeFile(path, generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const imported = await json('witness', 'import', path)
  expect(await json('witness', 'keys')).toEqual([
    { ...imported, retiredAt: null },
    { ...made, retiredAt: expect.any(String) },
  ])
  const again = await cli('witness', 'import', path)
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('was used here before')])
  await writeFile(path, 'no key')
  expect((await cli('witness', 'import', path)).stderr).toContain('not an Ed25519 private key')
  expect((await cli('witness', 'import', `${path}x`)).stderr).toContain('cannot be read: ENOENT')
})
