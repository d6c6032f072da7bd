import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openDb, value } from '../../sql/db.ts'
import { openReadDb } from '../../sql/hosts/standby.ts'
import { freshDatabase } from '../support/database/fresh.ts'
import { eventually } from '../support/machine/eventually.ts'

test('a standby that goes silent is not waited for, and is asked again when it answers', async () => {
  await using database = await freshDatabase()
  await using line = await openLine(database.url)
  const primary = openDb(database.url, { name: 'primary' })
  const reading = openReadDb(line.url, primary, { name: 'standby', answerMs: 300, maxLagSeconds: () => 10 })
  try {
    const askWho = () => value<string>(reading, "select current_setting('application_name')")
    await eventually('the standby to be asked', async () => reading.isStandbyUsed)
    expect(await askWho()).toBe('coinop standby')
    line.isSilent = true
    expect(await Promise.race([askWho(), sleep(20_000, 'nobody', { ref: false })])).toBe('coinop primary')
    expect(reading.isStandbyUsed).toBe(false)
    line.isSilent = false
    await eventually('the standby to be asked again', async () => (await askWho()) === 'coinop standby')
  } finally {
    await reading.end()
    await primary.end()
  }
})

test('why a standby is not asked is told once', async () => {
  await using database = await freshDatabase()
  const primary = openDb(database.url, { name: 'primary' })
  const wrong = new URL(database.url)
  wrong.pathname = '/no_such_database_of_a_standby'
  const reasons: string[] = []
  const { promise: isReported, resolve } = Promise.withResolvers<void>()
  const onUnused = (reason: string) => {
    reasons.push(reason)
    resolve()
  }
  const reading = openReadDb(wrong.href, primary, { name: 'standby', maxLagSeconds: () => 10, onUnused })
  try {
    await isReported
    expect(await value(reading, 'select 1')).toBe(1)
    expect(reasons).toEqual([expect.stringContaining('no_such_database_of_a_standby')])
  } finally {
    await reading.end()
    await primary.end()
  }
})

interface Line extends AsyncDisposable {
  url: string
  /** Whatever comes is dropped, and the connections stay open. */
  isSilent: boolean
}

/** Another address of a Postgres, on a line of its own. */
async function openLine(url: string): Promise<Line> {
  const address = new URL(url)
  const folder = address.searchParams.get('host')
  const port = Number(address.searchParams.get('port') ?? (address.port || 5432))
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    const upstream = folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, address.hostname)
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from)
      from.on('error', () => to.destroy()).on('close', () => to.destroy())
      from.on('data', chunk => line.isSilent || to.write(chunk))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  for (const name of ['host', 'port']) own.searchParams.delete(name)
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as AddressInfo).port)
  const line: Line = {
    ...{ url: own.href, isSilent: false },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return line
}
