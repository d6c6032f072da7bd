import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { expect, test } from 'vitest'
import { DatabaseUnavailable, isUnavailable } from '../../sql/connection.ts'
import { Connection } from '../../sql/db.ts'
import { emptyDatabase } from '../support/database/fresh.ts'

test('a database that accepts connections and does not greet is not reachable', async () => {
  const sockets: Socket[] = []
  const server = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = new Connection(`postgres://x@127.0.0.1:${(server.address() as AddressInfo).port}/x`, 'silent')
  try {
    await expect(connection.query({ text: 'select 1' })).rejects.toBeInstanceOf(DatabaseUnavailable)
  } finally {
    await connection.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

test('a query of a connection that is being closed can be asked again', async () => {
  await using database = await emptyDatabase()
  const client = new pg.Client(database.url)
  await client.connect()
  const closing = client.end()
  const error = await client.query('select 1').catch((error: unknown) => error)
  await closing
  expect(isUnavailable(error)).toBe(true)
})
