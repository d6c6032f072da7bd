import { expect, test } from 'vitest'
import { type JobPayload, newId } from '#kit'
import { joinWorkers, type ToolReport } from '../../sql/worker.ts'
import { AttemptReleased } from '../../workers/attempts.ts'
import { leaveJobThatLacks, listMissingOptional, requireTools } from '../../workers/tools.ts'
import { openTestLedger } from '../support/database/ledger.ts'

test('a worker that lacks a tool hands the job to one that has it, and fails it for free if there is none', async () => {
  await using ledger = await openTestLedger()
  const report = (ok: boolean): ToolReport[] => [{ name: 'qpdf', lane: 'program', ok }]
  const context = (tools: ToolReport[]) =>
    ({
      db: ledger.db,
      tools,
      log: { info: () => undefined },
    }) as never
  const rotate = { uses: ['qpdf'] as const }
  const job = { id: newId(), operation: 'pdf.rotate' } as JobPayload
  const join = (lanes: object, tools: ToolReport[]) =>
    joinWorkers(ledger.db, { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes, tools })

  await requireTools(context(report(true)), job, rotate)
  await join({ thread: 2 }, report(true))
  await join({ program: 2 }, report(false))
  const refusal = { code: 'PROVIDER_NOT_CONFIGURED', hints: { tool: 'qpdf' } }
  await expect(requireTools(context(report(false)), job, rotate)).rejects.toMatchObject(refusal)
  await join({ program: 2 }, report(true))
  await expect(requireTools(context(report(false)), job, rotate)).rejects.toThrow(AttemptReleased)
})

test('a missing tool that only some calls need stops only those', async () => {
  await using ledger = await openTestLedger()
  const tools: ToolReport[] = [
    { name: 'poppler', lane: 'program', ok: true },
    { name: 'libreoffice', lane: 'program', ok: false, install: 'install it' },
  ]
  const operation = { uses: ['poppler', 'libreoffice'], optional: ['libreoffice'] } as const
  const operations = new Map([['doc.to-markdown', operation]])
  const context = { db: ledger.db, tools, operations, log: { info: () => undefined } } as never
  const job = { id: newId(), operation: 'doc.to-markdown' } as JobPayload
  await requireTools(context, job, operation)
  expect(listMissingOptional(context, operation)).toEqual(['libreoffice'])
  const refusal = { code: 'PROVIDER_NOT_CONFIGURED', hints: { tool: 'libreoffice', install: 'install it' } }
  await expect(leaveJobThatLacks(context, job, 'libreoffice')).rejects.toMatchObject(refusal)
  const elsewhere = { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes: { program: 2 } }
  await joinWorkers(ledger.db, { ...elsewhere, tools: tools.map(tool => ({ ...tool, ok: true })) })
  await expect(leaveJobThatLacks(context, job, 'libreoffice')).rejects.toThrow(AttemptReleased)
})
