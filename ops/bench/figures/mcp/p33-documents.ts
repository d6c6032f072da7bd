import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '../../../free-ports.ts'
import { JSON_HEADERS } from '../../calls.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { startRole } from '../../role.ts'
import { openStack, type Stack } from '../../stack.ts'

const REQUESTS = 400

interface Document {
  label: string
  path: string
  /** Sent by POST if there is one. */
  body?: string
}

const DOCUMENTS: readonly Document[] = [
  { label: 'tools/list', path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) },
  { label: 'openapi.json', path: '/openapi.json' },
]

/** What an agent reads first, one request after the other, beside the same bytes as a static file. */
export default {
  id: 'P33',
  title: 'response time of tools/list and /openapi.json, over a static file of the same size',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const readings: Reading[] = []
    for (const document of DOCUMENTS) readings.push(await compare(bench, stack, document))
    return readings
  },
} satisfies Figure

async function compare({ profile }: Bench, stack: Stack, document: Document): Promise<Reading> {
  const url = stack.baseUrl + document.path
  const file = join(stack.config.dataDir, 'static.json')
  await writeFile(file, await (await request(url, document)).text())
  const port = await findFreePort()
  const script = 'ops/bench/floor/static.ts'
  const role = await startRole({ script, env: { PORT: String(port), FILE: file }, logPath: stack.logPath })
  await using _floor = { [Symbol.asyncDispose]: () => role.stop() }
  const urls = [url, `http://127.0.0.1:${port}/`] as const
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < REQUESTS; round++) {
    for (const [index, address] of urls.entries()) times[index as 0 | 1].push(await readTime(address, document))
  }
  const [ours, floor] = times.map(all => median(all.slice(REQUESTS / 4))) as [number, number]
  return {
    label: document.label,
    unit: 'ms, median',
    ours,
    floor,
    goal: { atMost: 2 },
    judgedBy: 'ratio',
    limitedBy: 'the hooks of every request: identity, limits and headers',
    facts: { rounds: profile.rounds, bytes: (await (await request(url, document)).text()).length },
  }
}

async function readTime(url: string, document: Document): Promise<number> {
  const startedMs = performance.now()
  await (await request(url, document)).arrayBuffer()
  return performance.now() - startedMs
}

async function request(url: string, { body }: Document): Promise<Response> {
  const encoding = { 'accept-encoding': 'identity' }
  const answer = await fetch(
    url,
    body ? { method: 'POST', headers: { ...JSON_HEADERS, ...encoding }, body } : { headers: encoding },
  )
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer
}
