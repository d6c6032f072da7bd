import { buildFloorCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { type FloorServer, startFloorServer } from '../../floor/start.ts'
import type { Call } from '../../load/run.ts'
import { openStack, type Stack } from '../../stack.ts'
import { targetFloor, targetService } from '../../targets.ts'
import { buildAppend, buildRead, openLogs } from './prepare.ts'

// Decision 0095: compare batons with servers that also commit.

const CLIENTS = 64

/** The floor inserts 1 KB a call, or counts a read and returns 1 KB, each with its own commit. */
export default {
  id: 'P40',
  title: '1 KB appends and reads of batons per second, over a bare server with one statement and commit a call',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { workers: 0 })
    await using floor = await startFloorServer(stack)
    const logs = await openLogs(stack)
    const readings = [
      await compare(bench, { stack, floor, label: 'reads', path: '/read', call: buildRead(stack, logs) }),
      await compare(bench, { stack, floor, label: 'appends', path: '/append', call: buildAppend(stack, logs) }),
    ]
    return readings
  },
} satisfies Figure

interface Comparison {
  stack: Stack
  floor: FloorServer
  label: string
  path: string
  call: Call
}

async function compare(bench: Bench, { stack, floor: server, label, path, call }: Comparison): Promise<Reading> {
  const bare = buildFloorCall({ ...call, paths: undefined }, path)
  const targets = {
    ours: targetService(bench.environment, stack, call),
    floor: targetFloor(bench.environment, server, bare),
  }
  const { ours, floor } = await compareWithFloor(bench, targets, CLIENTS)
  return {
    label: `${label} of ${call.keys.length} batons`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: 0.5 },
    judgedBy: 'ratio',
    limitedBy: `${formatCost(ours.cost)}; bare: ${formatCost(floor.cost)}`,
    facts: { ours, floor },
  }
}
