import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildHashCall, buildQueuedCall } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'

const CLIENTS = 64
const SHARES = ['0.01', '1'] as const
/** At 100 % the collector gets what the processes find time to send; the rest is dropped and counted. */
const GOALS = { '0.01': 0.95, '1': 0.6 } as const

export default {
  id: 'P95',
  title: 'both lanes, 64 clients, with 1 % and with all calls traced, over the same without traces',
  async measure(bench) {
    const collector = await openSink()
    try {
      const readings: Reading[] = []
      for (const share of SHARES) readings.push(...(await measureShare(bench, collector.url, share)))
      return readings
    } finally {
      collector.server.close()
      collector.server.closeAllConnections()
    }
  },
} satisfies Figure

async function measureShare(bench: Bench, url: string, share: (typeof SHARES)[number]): Promise<Reading[]> {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: share,
  }
  await using untraced = await openStack(bench.environment)
  await using traced = await openStack(bench.environment, { env })
  const stacks = { traced, untraced, share }
  const readings = [
    await compare(bench, stacks, 'lane I', buildHashCall),
    await compare(bench, stacks, 'lane Q', buildQueuedCall),
  ]
  for (const stack of [traced, untraced]) await requireNoFailedJobs(stack)
  return readings
}

async function compare(
  bench: Bench,
  { traced, untraced, share }: { traced: Stack; untraced: Stack; share: (typeof SHARES)[number] },
  lane: string,
  buildCall: (stack: Stack) => Call,
): Promise<Reading> {
  for (const stack of [traced, untraced]) await verifyCall(stack, buildCall(stack))
  const { ours, floor } = await compareWithFloor(
    bench,
    {
      ours: targetService(bench.environment, traced, buildCall(traced)),
      floor: targetService(bench.environment, untraced, buildCall(untraced)),
    },
    CLIENTS,
  )
  return {
    label: `${lane}, ${Number(share) * 100} % traced`,
    unit: 'calls/s',
    ours: ours.perSecond,
    floor: floor.perSecond,
    goal: { atLeast: GOALS[share] },
    judgedBy: 'ratio',
    limitedBy: `${formatCost(ours.cost)}; without traces ${formatCost(floor.cost)}`,
    facts: { ours, floor },
  }
}

/** Takes what a collector takes, and keeps none of it. */
async function openSink(): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
