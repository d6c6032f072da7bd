import { once } from 'node:events'
import { createServer } from 'node:net'
import { Gauge, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openDatabaseMeters } from '../../../api/database-meters.ts'
import { pollUntil } from '../../../ops/back-off.ts'
import { openMetricsServer, openRegistry } from '../../../ops/metrics/server.ts'
import { openDb } from '../../../sql/db.ts'

test('metrics are served as soon as another program has left their port, and the error is written once', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const errors: string[] = []
  const { promise: first, resolve } = Promise.withResolvers<void>()
  const metrics = openMetricsServer({ host: '127.0.0.1', port, retryMs: 5 }, new Registry(), ({ message }) => {
    errors.push(message)
    resolve()
  })
  await first
  other.close()
  const read = () => fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined)
  expect((await pollUntil(read, { withinMs: 60_000, everyMs: 20 }))?.status).toBe(200)
  expect(errors).toEqual([expect.stringContaining('EADDRINUSE')])
  await metrics.close()
})

test('without a database, the other metrics are told', async () => {
  const registry = openRegistry()
  const db = openDb('postgres://nobody@127.0.0.1:1/none', { name: 'test', size: 1 })
  openDatabaseMeters(db, [registry])
  new Gauge({ name: 'other', help: 'Another one.', registers: [registry] }).set(7)
  expect(await registry.metrics()).toMatch(/^other 7$/m)
  await db.end()
})
