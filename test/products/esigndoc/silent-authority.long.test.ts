import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { NEVER, openEngine, sealRequest } from '../../support/signing/engine.ts'

test('an authority that never answers does not keep a document from being sealed', async () => {
  const server = createServer(socket => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const timestampUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await using engine = await openEngine({ timestampUrl })
  const request = sealRequest({ files: [await engine.put(await readFile('tasks/samples/letter.pdf'))], level: 'B-T' })
  const sealed = await engine.documents.seal(request, NEVER)
  expect(sealed).toMatchObject({ level: 'B-B', timestampFailure: expect.stringContaining('No timestamp') })
  server.close()
})
