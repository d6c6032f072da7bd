import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { InputFile, JobPayload, StagedFile } from '#kit'
import { createDownload } from '../../pools/fetch/download.ts'
import { loadOperation } from '../../tasks/index.ts'
import type { WorkerContext } from '../../workers/context.ts'
import { JobWorkspace } from '../../workers/workspace.ts'
import { testPools } from '../support/pools/open.ts'

const PDF = readFileSync(new URL('../../tasks/samples/two-pages.pdf', import.meta.url))

test('a file of the web is fetched, recognised by its content, probed and limited as an upload is', async () => {
  const server = createServer(({ url }, reply) => void reply.end(url === '/empty' ? '' : url === '/text' ? 'hi' : PDF))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using pools = await testPools()
  const download = createDownload({ isTrusted: address => address === '127.0.0.1' })
  const operation = await loadOperation('pdf.rotate')

  async function prepare(path: string, sizeBytes = 1_000_000, isAllowed = true, maxPages = 2) {
    const file: StagedFile = { url: `http://127.0.0.1:${port}${path}`, type: '', sizeBytes, name: 'mine.pdf' }
    const payload = { id: 'url-job', input: { file, degrees: '90' }, deadlineAt: Date.now() + 30_000, limitSeconds: 30 }
    const settings = { get: (name: string) => (name === 'cputools.pdf.max_pages' ? maxPages : 1_000_000) }
    const context = { pools, settings, download: isAllowed ? download : undefined, log: console, clock: Date }
    const { signal } = new AbortController()
    await using workspace = new JobWorkspace(
      context as unknown as WorkerContext,
      operation,
      payload as unknown as JobPayload,
      signal,
    )
    const { file: ready } = (await workspace.prepare()) as { file: InputFile }
    return { ...ready, bytes: readFileSync(ready.path) }
  }

  try {
    const ready = await prepare('/photo.jpg')
    expect(ready).toMatchObject({
      type: 'application/pdf',
      sizeBytes: PDF.length,
      name: 'mine.pdf',
      facts: { pages: 2 },
    })
    expect(ready.bytes.equals(PDF)).toBe(true)
    const refusals: [() => Promise<unknown>, string, object][] = [
      [() => prepare('/text'), 'PDF_PARSE_FAILED', { detected: 'text/plain', field: 'file' }],
      [() => prepare('/empty'), 'INPUT_EMPTY', { field: 'file' }],
      [() => prepare('/photo.jpg', 100), 'STORED_INPUT_TOO_LARGE', { ceiling: 100, field: 'file' }],
      [() => prepare('/photo.jpg', 100, false), 'MODE_DISABLED', { set: 'OUTBOUND=public' }],
    ]
    refusals.push([() => prepare('/a.pdf', 1_000_000, true, 1), 'TOO_MANY_PAGES', { limit: 1, actual: 2 }])
    for (const [refused, code, hints] of refusals) await expect(refused()).rejects.toMatchObject({ code, hints })
  } finally {
    server.close()
  }
})
