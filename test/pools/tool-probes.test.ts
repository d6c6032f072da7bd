import { expect, onTestFinished, test } from 'vitest'
import { ToolProbes } from '../../pools/tool-probes.ts'
import type { ProbeOutcome } from '../../pools/tool-reports.ts'
import { eventually } from '../support/machine/eventually.ts'

const WORKS: ProbeOutcome = { kind: 'works', version: '1.0' }
const refuse = (kind: 'absent' | 'late' | 'failed'): ProbeOutcome => ({ kind, error: new Error(kind) })
const QUICK = { recheckMs: 5, firstRetryMs: 1, maxRetryMs: 10 }

/** Probes engines that answer in turn as given, the last answer again and again, and notes what becomes known. */
function startProbes(answers: Record<string, ProbeOutcome[]>) {
  const known: Record<string, string[]> = {}
  const tries: Record<string, number> = {}
  const probes = new ToolProbes(Object.keys(answers), {
    probe: async engine => {
      const index = tries[engine] ?? 0
      tries[engine] = index + 1
      return answers[engine]![Math.min(index, answers[engine]!.length - 1)]!
    },
    onOutcome: (engine, { kind }) => {
      known[engine] = [...(known[engine] ?? []), kind]
    },
    timing: QUICK,
  })
  onTestFinished(() => probes.stop())
  return { probes, known, tries }
}

test('an engine that is late is not called missing, and is found when it answers', async () => {
  const { known } = startProbes({ slow: [refuse('late'), refuse('late'), refuse('late'), refuse('late'), WORKS] })
  await eventually('the slow engine to be found', () => known.slow)
  expect(known.slow).toEqual(['works'])
})

test('an engine that fails twice and then answers is never called missing', async () => {
  const { known } = startProbes({ shaky: [refuse('failed'), refuse('failed'), WORKS] })
  await eventually('the shaky engine to be found', () => known.shaky)
  expect(known.shaky).toEqual(['works'])
})

test('an engine that fails each time is called broken', async () => {
  const { known, tries } = startProbes({ broken: [refuse('failed')] })
  await eventually('the verdict', () => known.broken)
  expect([known.broken, tries.broken! >= 3]).toEqual([['failed'], true])
})

test('an engine that is installed later is found, and one that vanishes is noticed', async () => {
  const { known } = startProbes({ later: [refuse('absent'), WORKS], gone: [WORKS, WORKS, refuse('absent')] })
  await eventually('both changes', () => known.later?.length === 2 && known.gone?.length === 2)
  expect(known).toEqual({ later: ['absent', 'works'], gone: ['works', 'absent'] })
})

test('an engine that worked stays known while it is late', async () => {
  const { known, tries } = startProbes({ busy: [WORKS, refuse('late')] })
  await eventually('more tries', () => tries.busy! > 4)
  expect(known.busy).toEqual(['works'])
})

test('at most two engines are tried at once, and the first round ends when each was tried', async () => {
  let running = 0
  let most = 0
  const tried: string[] = []
  const names = Array.from({ length: 9 }, (_, index) => `engine-${index}`)
  const probes = new ToolProbes(names, {
    probe: async engine => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      tried.push(engine)
      return WORKS
    },
    onOutcome: () => undefined,
  })
  onTestFinished(() => probes.stop())
  await probes.firstRound
  expect([most, tried]).toEqual([2, names])
})
