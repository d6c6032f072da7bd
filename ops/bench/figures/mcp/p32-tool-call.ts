import { measureInTurns } from '../../call-time.ts'
import { buildHashCall, JSON_HEADERS } from '../../calls.ts'
import type { Figure } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { median } from '../../median.ts'
import { openStack, verifyCall } from '../../stack.ts'

/** The same operation with the same input, over REST and as a tool. */
export default {
  id: 'P32',
  title: 'processor time of the api for tools/call, over the same call by REST',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 8 })
    const rest = buildHashCall(stack)
    const call = wrapCall(rest)
    const { result } = (await (await verifyCall(stack, call)).json()) as { result?: { isError: boolean } }
    if (result?.isError !== false) throw new Error('the tool did not answer')
    // A little code more is compiled late under load, and would be measured in its first, slow form.
    const profile = { ...bench.profile, warmUpSeconds: bench.profile.warmUpSeconds * 3 }
    const server = { baseUrl: stack.baseUrl, pid: stack.api.pid }
    const [ours, floor] = await measureInTurns({ ...bench, profile }, [
      { ...server, call },
      { ...server, call: rest },
    ])
    return [
      {
        label: 'tools/call over REST',
        unit: 'ms of CPU per call',
        ours: median(ours!),
        floor: median(floor!),
        goal: { atMost: 1.2 },
        judgedBy: 'ratio',
        limitedBy: 'the result, which is written twice: as values and as text',
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

function wrapCall({ keys, body }: Call): Call {
  const params = { name: 'utils_hash', arguments: JSON.parse(String(body)) as unknown }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  return { path: '/mcp', headers: JSON_HEADERS, body: JSON.stringify(message), keys }
}
