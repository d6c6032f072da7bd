import { expect, test } from 'vitest'
import { listFormats, readVersion } from '../../../pools/tools/libreoffice/registry.ts'
import { joinWorkers } from '../../../sql/worker.ts'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

test('the list of office formats is what the filters of a worker can read', async () => {
  await using api = await openInProcessApi()
  const url = '/v1/office/formats'
  const missing = await api.app.inject(url)
  expect(missing.statusCode).toBe(503)
  expect(missing.json()).toMatchObject({ code: 'PROVIDER_NOT_CONFIGURED', adapters: ['libreoffice'] })
  const report = { name: 'libreoffice', lane: 'program' as const, ok: true, version: await readVersion() }
  const tools = [{ ...report, details: await listFormats() }]
  await joinWorkers(api.context.db, {
    ...{ id: crypto.randomUUID(), host: 'here', pid: 1, pools: [] },
    ...{ lanes: { program: 1 }, tools },
  })
  await api.context.availability.refresh()
  const list = (await api.app.inject(url)).json()
  expect(list.engine).toEqual({ name: 'LibreOffice', version: expect.stringMatching(/^\d+\.\d/) })
  const known = (list.formats as { family: string; extension: string }[]).map(
    ({ family, extension }) => `${family} ${extension}`,
  )
  for (const format of ['text docx', 'text wpd', 'spreadsheet xls', 'presentation pptx', 'drawing cdr'])
    expect(known).toContain(format)
  expect(list.formats.find(({ extension }: { extension: string }) => extension === 'wpd').fidelity).toBe('medium')
})
