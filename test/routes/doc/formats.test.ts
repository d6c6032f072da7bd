import { expect, test } from 'vitest'
import { joinWorkers } from '../../../sql/worker.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test('the list of conversions is public, has an ETag and names the engine of a worker', async () => {
  await using api = await openInProcessApi()
  const url = '/v1/doc/formats'
  const first = await api.app.inject(url)
  expect(first.statusCode).toBe(200)
  const list = first.json()
  expect(list.conversions).toHaveLength(96)
  expect(list.conversions).toContainEqual({ from: 'docx', to: 'typst', lossy: true })
  expect(list.conversions).toContainEqual({ from: 'markdown', to: 'jira', lossy: false })
  expect(list.inputs).toContainEqual(expect.objectContaining({ format: 'epub', mime: 'application/epub+zip' }))
  expect(list.composed[0]).toMatchObject({ to: 'pdf', steps: [expect.any(String), 'POST /v1/pdf/from-html'] })
  const again = await api.app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } })
  expect(again.statusCode).toBe(304)
  const tools = [{ name: 'pandoc', lane: 'native' as const, ok: true, version: '3.10' }]
  const worker = { id: crypto.randomUUID(), host: 'here', pid: 1, pools: [], lanes: { native: 1 }, tools }
  await joinWorkers(api.context.db, worker)
  await api.context.availability.refresh()
  expect((await api.app.inject(url)).json().engine).toEqual({ name: 'pandoc', version: '3.10' })
})
