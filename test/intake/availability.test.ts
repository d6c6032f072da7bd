import { expect, test } from 'vitest'
import { newId } from '#kit'
import { type Availability, openAvailability } from '../../api/intake/availability.ts'
import { describeTool } from '../../pools/tool-reports.ts'
import { joinWorkers, type ToolReport } from '../../sql/worker.ts'
import { openTestLedger } from '../support/database/ledger.ts'

const report = (name: string, ok: boolean): ToolReport => ({ name, lane: 'program', ok, install: `install ${name}` })
const OPERATION: Parameters<Availability['require']>[0] = { name: 'pdf.rotate', uses: ['qpdf', 'poppler'], needs: [] }

/** What is answered while these workers are alive; each is given by its lanes and what it knows of its tools. */
async function refusalFor(
  workers: readonly (readonly [lanes: object, tools: readonly ToolReport[]])[],
  operation = OPERATION,
): Promise<unknown> {
  await using ledger = await openTestLedger()
  const availability = openAvailability(ledger.db)
  try {
    for (const [lanes, tools] of workers)
      await joinWorkers(ledger.db, { id: newId(), host: 'here', pid: 1, pools: [], lanes, tools })
    await availability.refresh()
    availability.require(operation)
    return undefined
  } catch (error) {
    return error
  } finally {
    availability.close()
  }
}

const PROGRAM = { program: 2 }
const BOTH = [report('qpdf', true), report('poppler', true)]
const ONLY_QPDF = [report('qpdf', true), report('poppler', false)]
const ONLY_POPPLER = [report('qpdf', false), report('poppler', true)]

test.each([
  ['no worker runs', []],
  ['the worker has not tried its tools yet', [[PROGRAM, []]]],
  [
    'one worker lacks a tool and another has not tried it yet',
    [
      [PROGRAM, ONLY_QPDF],
      [PROGRAM, []],
    ],
  ],
  [
    'one worker lacks a tool and another has all',
    [
      [PROGRAM, ONLY_QPDF],
      [PROGRAM, BOTH],
    ],
  ],
] as const)('a call is accepted when %s', async (_situation, workers) => {
  expect(await refusalFor(workers)).toBeUndefined()
})

test.each([
  ['the worker lacks a tool', [[PROGRAM, ONLY_QPDF]], 'poppler'],
  [
    'each worker lacks another tool',
    [
      [PROGRAM, ONLY_POPPLER],
      [PROGRAM, ONLY_QPDF],
    ],
    'qpdf',
  ],
  [
    'the worker that has them does not serve the lane',
    [
      [PROGRAM, ONLY_QPDF],
      [{ thread: 2 }, BOTH],
    ],
    'poppler',
  ],
] as const)('a call is refused when %s', async (_situation, workers, tool) => {
  expect(await refusalFor(workers)).toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    hints: { tool, install: `install ${tool}` },
  })
})

test('a call is accepted when only tools are missing that some of the calls need', async () => {
  const optional = ['poppler'] as const
  expect(await refusalFor([[PROGRAM, ONLY_QPDF]], { ...OPERATION, optional })).toBeUndefined()
  expect(await refusalFor([[PROGRAM, ONLY_POPPLER]], { ...OPERATION, optional })).toMatchObject({
    hints: { tool: 'qpdf' },
  })
})

test('a tool is missing where every worker that may need it lacks it', async () => {
  await using ledger = await openTestLedger()
  const availability = openAvailability(ledger.db)
  const listMissing = async () => {
    await availability.refresh()
    return availability.tools().flatMap(({ name, ok }) => (ok ? [] : name))
  }
  const join = (lanes: object, tools: readonly ToolReport[]) =>
    joinWorkers(ledger.db, { id: newId(), host: 'here', pid: 1, pools: [], lanes, tools })
  try {
    await join(PROGRAM, ONLY_QPDF)
    await join({ thread: 2, native: 2 }, [])
    expect(await listMissing()).toEqual(['poppler'])
    await join({ remote: 2 }, [])
    expect(await listMissing()).toEqual([])
  } finally {
    availability.close()
  }
})

test('an operation is queued in the remote lane where a provider serves one of its tools', async () => {
  await using ledger = await openTestLedger()
  const availability = openAvailability(ledger.db)
  const operation = { uses: ['hostedTables', 'poppler'] } as const
  const serve = (provider: string) =>
    describeTool('hostedTables', { kind: 'works', version: '1', servedBy: { provider } })
  const join = (lanes: object, tools: readonly ToolReport[]) =>
    joinWorkers(ledger.db, { id: newId(), host: 'here', pid: 1, pools: [], lanes, tools })
  try {
    await join(PROGRAM, [...BOTH, serve('local')])
    await availability.refresh()
    expect(availability.laneOf(operation)).toBe('program')
    await join({ remote: 4 }, [...BOTH, serve('textract')])
    await availability.refresh()
    expect(availability.laneOf(operation)).toBe('remote')
    expect(availability.laneOf(OPERATION)).toBe('program')
    expect(availability.tools().find(({ name }) => name === 'hostedTables')?.servedBy?.provider).toBe('textract')
  } finally {
    availability.close()
  }
})
