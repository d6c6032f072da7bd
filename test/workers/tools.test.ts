import { expect, test } from 'vitest'
import { type JobPayload, newId } from '#kit'
import { joinWorkers, type ToolReport } from '../../sql/worker.ts'
import { AttemptReleased } from '../../workers/attempts.ts'
import { requireTools } from '../../workers/tools.ts'
import { openTestLedger } from '../support/database/ledger.ts'

test('a worker that lacks a tool hands the job to one that has it, and fails it for free if there is none', async () => {
  await using ledger = await openTestLedger()
  const report = (ok: boolean): ToolReport[] => [{ name: 'qpdf', lane: 'program', ok }]
  const context = (tools: ToolReport[]) =>
    ({
      db: ledger.db,
      tools,
      operations: new Map([['pdf.rotate', { uses: ['qpdf'] }]]),
      log: { info: () => undefined },
    }) as never
  const job = { id: newId(), operation: 'pdf.rotate' } as JobPayload
  const join = (lanes: object, tools: ToolReport[]) =>
    joinWorkers(ledger.db, { id: newId(), host: 'elsewhere', pid: 1, pools: [], lanes, tools })

  await requireTools(context(report(true)), job)
  await join({ thread: 2 }, report(true))
  await join({ program: 2 }, report(false))
  const refusal = { code: 'PROVIDER_NOT_CONFIGURED', hints: { tool: 'qpdf' } }
  await expect(requireTools(context(report(false)), job)).rejects.toMatchObject(refusal)
  await join({ program: 2 }, report(true))
  await expect(requireTools(context(report(false)), job)).rejects.toThrow(AttemptReleased)
})
