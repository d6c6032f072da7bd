import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashApiKey } from '../../ops/secrets.ts'
import { createAccount, creditAccount } from '../../sql/account.ts'
import { openDb, rows } from '../../sql/db.ts'
import { createKey } from '../../sql/key.ts'
import { writeSetting } from '../../sql/setting.ts'
import { listWorkers } from '../../sql/worker.ts'
import { type Installation, openInstallation, SECRET } from '../support/hosts/installation.ts'
import { type Host, whyNoHosts } from '../support/hosts/network.ts'
import { extractVersion, findOlderCommit } from '../support/hosts/older-version.ts'
import { type Customer, expectAllThere } from '../support/hosts/traffic/check.ts'
import { openTraffic, type Traffic } from '../support/hosts/traffic/open.ts'
import { ROOT } from '../support/house/files.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'

type RoleName = Parameters<Installation['start']>[0]
type RoleOptions = Parameters<Installation['start']>[1]

const APIS = ['api-one', 'api-two', 'api-three'] as const
const WORKERS = ['worker-one', 'worker-two', 'worker-three', 'worker-four'] as const
const CREDIT_MICROS = 1_000_000_000n

const reason = whyNoHosts()
const older = reason === undefined ? findOlderCommit() : undefined

// They follow one another on the same hosts, while customers call all the time.
describe.skipIf(reason !== undefined)(`many hosts${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  let hosts: Installation
  let traffic: Traffic
  let customer: Customer
  const cleanUp = new AsyncDisposableStack()

  beforeAll(async () => {
    const folder = cleanUp.use(await freshFolder()).path
    const version = older === undefined ? ROOT : join(folder, 'older')
    if (older !== undefined) extractVersion(older, version)
    hosts = cleanUp.use(await openInstallation(version))
    await Promise.all([...APIS, ...WORKERS].map(name => hosts.start(name, { version })))
    customer = await openCustomer(hosts)
    traffic = cleanUp.use(await openTraffic(hosts.url, customer.apiKey))
    await traffic.waitUntilSteady()
  })
  afterAll(() => cleanUp.disposeAsync())

  const during = async (what: string, disturb: () => unknown) => {
    process.stdout.write(`${await traffic.during(what, disturb)}\n`)
    expect(traffic.faults).toEqual([])
  }
  const start = (names: readonly RoleName[], options?: RoleOptions) =>
    Promise.all(names.map(name => hosts.start(name, options)))
  const stop = (names: readonly RoleName[]) => Promise.all(names.map(name => hosts.role(name).stop()))

  test.skipIf(older === undefined)(
    `a rolling upgrade${older === undefined ? ', skipped: this clone has no older version' : ''}`,
    async () => {
      const before = await countMigrations(hosts)
      await during('the database migrated', () => hosts.migrate(ROOT))
      expect(await countMigrations(hosts)).toBeGreaterThan(before)
      const upgrade = async (names: readonly RoleName[]) => {
        await stop(names)
        await start(names)
      }
      await during('half of the hosts upgraded', () => upgrade(['api-one', 'worker-one', 'worker-two']))
      await during('all hosts upgraded', () => upgrade(['api-two', 'api-three', 'worker-three', 'worker-four']))
    },
  )

  test('lists come from the standby, through PgBouncer', async () => {
    const { host, standbyUrl } = hosts
    const db = openDb(standbyUrl, { name: 'test of the standby', size: 1 })
    const query = `select query from pg_stat_activity where application_name = 'coinop api reads' and client_addr = $1`
    await eventually('a list to be read there', async () => (await rows(db, query, [host('pool').address])).length > 0)
    await db.end()
  })

  test('hosts that are killed', async () => {
    await during('worker-one killed', () => hosts.role('worker-one').kill())
    await during('api-two killed', () => hosts.role('api-two').kill())
    await during('both started again', () => start(['worker-one', 'api-two']))
  })

  test('hosts that are added, with clocks that are a minute off, and hosts that are drained', async () => {
    await during('api-four and worker-five added', () =>
      Promise.all([start(['api-four'], { env: setClock('+60s') }), start(['worker-five'], { env: setClock('-60s') })]),
    )
    await traffic.waitForMore()
    await during('api-one and worker-one drained', async () => {
      expect(await stop(['api-one', 'worker-one'])).toEqual([0, 0])
    })
  })

  test('hosts that are cut off', async () => {
    const { network, patroni, host } = hosts
    const set = (action: 'cut' | 'join', name: RoleName, others: readonly Host[]) => {
      for (const other of others) network[action](host(name), other)
    }
    const databases = patroni.members.map(member => member.host)
    const roles = (['api-two', 'api-three', 'api-four', 'worker-two', 'worker-four', 'worker-five'] as const).map(host)
    await during('worker-two cut off from Postgres', () => set('cut', 'worker-two', databases))
    const hasLanes = async (name: string) =>
      (await listWorkers(hosts.db)).some(({ host, lanes }) => host === name && Object.keys(lanes).length > 0)
    const cuts = [
      { name: 'worker-three', from: 'the other roles', others: roles },
      { name: 'worker-four', from: 'the store', others: [host('store')] },
      { name: 'api-two', from: 'Postgres', others: databases },
      { name: 'api-three', from: 'the store', others: [host('store')] },
      { name: 'api-four', from: 'the load balancer', others: [host('balancer')] },
    ] as const
    for (const { name, from, others } of cuts) {
      await during(`${name} cut off from ${from}`, () => set('cut', name, others))
      await traffic.waitForMore()
      if (name === 'worker-four')
        await eventually(`${name} to leave jobs to others`, async () => !(await hasLanes(name)))
      await during(`${name} joined again`, () => set('join', name, others))
    }
    await eventually('worker-four to take jobs again', () => hasLanes('worker-four'))
    const listed = async () => (await listWorkers(hosts.db)).some(worker => worker.host === 'worker-two')
    await eventually('worker-two to be missed', async () => !(await listed()))
    await during('worker-two joined again', async () => {
      set('join', 'worker-two', databases)
      await eventually('worker-two to be back', listed)
    })
  })

  test('a primary that is killed, and one that is cut off', async () => {
    const { patroni, network } = hosts
    const first = await patroni.primary()
    await during(`${first.host.name}, the primary, killed`, () => first.process.kill())
    const second = await patroni.primary()
    expect(second).not.toBe(first)
    await during(`${first.host.name} back as a standby`, async () => {
      patroni.restart(first)
      await patroni.waitUntilSynchronous()
    })
    const others = network.hosts().filter(host => host !== second.host)
    const isolate = () => {
      for (const other of others) network.cut(second.host, other)
    }
    // It gives up its role and is missed later than one that is killed, and calls that it had under way begin again later.
    await during(`${second.host.name}, the primary, cut off from all`, isolate)
    await during(`${second.host.name} joined again`, async () => {
      for (const other of others) network.join(second.host, other)
      await patroni.waitUntilSynchronous()
    })
    expect(await patroni.primary()).toBe(first)
  })

  test('nothing that was acknowledged is lost or charged twice', async () => {
    await traffic.end()
    expect(traffic.faults).toEqual([])
    process.stdout.write(`${traffic.ended.length} calls were acknowledged\n`)
    await expectAllThere(hosts.db, hosts.url, customer, traffic.ended)
  })
})

/** The time of day only: how long something takes is measured as ever. */
function setClock(offset: string): Record<string, string> {
  const folders = ['x86_64', 'aarch64'].map(machine => `/usr/lib/${machine}-linux-gnu/faketime`)
  const library = join(folders.find(existsSync)!, 'libfaketimeMT.so.1')
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

async function openCustomer({ db }: Installation): Promise<Customer> {
  const { id: accountId } = await createAccount(db)
  await creditAccount(db, { accountId, amountMicros: CREDIT_MICROS })
  await writeSetting(db, 'rate.channel_calls_per_minute', 1_000_000)
  const apiKey = await createKey(db, { accountId, mode: 'test', hash: key => hashApiKey(SECRET, key) })
  return { accountId, apiKey, creditMicros: CREDIT_MICROS }
}

async function countMigrations({ db }: Installation): Promise<bigint> {
  const [row] = await rows<{ count: bigint }>(db, 'select count(*) from public.coinop_migration')
  return row!.count
}
