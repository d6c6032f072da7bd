import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../../ops/config.ts'
import { openLog } from '../../../ops/log.ts'
import { openProviderClient } from '../../../ops/providers/http/client.ts'
import { readCallCounts } from '../../../ops/providers/http/counts.ts'
import { parseTraceparent } from '../../../ops/tracing/context.ts'
import { openTracing, type Tracing } from '../../../ops/tracing/open.ts'
import { createSampler } from '../../../ops/tracing/sampler.ts'
import { beginTrace, currentTrace, endSpan, isTracing, runInTrace, trace } from '../../../ops/tracing/trace.ts'
import { eventually } from '../../support/machine/eventually.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { openLocalServer } from '../../support/servers/local.ts'
import { openCollector } from '../../support/tracing/collector.ts'

const quiet = openLog({ logLevel: 'silent', name: 'test' })
let tracing: Tracing | undefined
afterEach(async () => {
  await tracing?.close()
  tracing = undefined
})

async function open(endpoint: string, env: Record<string, string> = {}, log = quiet): Promise<Tracing> {
  await using folder = await freshFolder()
  const config = loadConfig({ DATA_DIR: folder.path, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env })
  tracing = await openTracing(config, 'worker', log)
  return tracing!
}

/** Two spans, one within the other. */
async function work(parent?: string): Promise<{ traceId: string; isSampled: boolean }> {
  const root = beginTrace('work', 'internal', { parent: parseTraceparent(parent) })!
  await runInTrace(root, () => trace('part of it', { 'coinop.part': 1 }, async () => undefined))
  endSpan(root)
  return root
}

test('nothing is traced without a collector, and nothing is loaded', async () => {
  await using folder = await freshFolder()
  expect(await openTracing(loadConfig({ DATA_DIR: folder.path }), 'api', quiet)).toBeUndefined()
  expect([isTracing(), beginTrace('work', 'internal'), currentTrace()]).toEqual([false, undefined, undefined])
  expect(await trace('part', undefined, async () => 'done')).toBe('done')
})

test('a collector that is away, refuses or hangs holds nothing up, and what it loses is counted', async () => {
  await using collector = await openCollector()
  const lines: string[] = []
  const log = openLog({ logLevel: 'warn', name: 'test' }, { write: line => void lines.push(line) })
  const unreachable = await open('http://127.0.0.1:9', {}, log)
  for (let count = 0; count < 6_000; count++) await work()
  // More than may wait is dropped at once; nothing above has waited for the network.
  await eventually(
    'spans to be dropped',
    () => unreachable.counts().dropped > 0 && unreachable.counts().waiting <= 8_192,
  )
  await unreachable.close()
  const { sent, dropped, failed, waiting } = unreachable.counts()
  expect([sent, dropped + failed + waiting]).toEqual([0, 12_000])
  expect(lines.filter(line => line.includes('traces cannot be sent'))).toHaveLength(1)

  const refusing = await open(collector.url)
  collector.answer(response => void response.writeHead(400).end())
  await work()
  await eventually('the batch to be given up', () => refusing.counts().failed === 2)
  collector.answer(response => void response.writeHead(200).end('{"partialSuccess":{"rejectedSpans":"1"}}'))
  await work()
  await eventually('the next to be taken in part', () => refusing.counts().sent === 1 && refusing.counts().failed === 3)
  await refusing.close()

  collector.answer(() => undefined)
  const hanging = await open(collector.url)
  const before = collector.batches.length
  await work()
  await eventually('the batch to arrive', () => collector.batches.length > before)
  await hanging.close()
  expect(hanging.counts()).toMatchObject({ sent: 0, failed: 2 })

  let isBusy = true
  collector.answer(response => {
    response.writeHead(isBusy ? 503 : 200).end()
    isBusy = false
  })
  const patient = await open(collector.url)
  const { traceId } = await work()
  await eventually('the batch to be sent again', () => patient.counts().sent === 2)
  expect(
    new Set(
      collector
        .spans()
        .filter(span => span.traceId === traceId)
        .map(({ spanId }) => spanId),
    ).size,
  ).toBe(2)
})

test('a provider is handed the trace, and what it answers is a span and is counted', async () => {
  const seen: (string | undefined)[] = []
  await using server = await openLocalServer(({ headers, path }) => {
    seen.push(headers.traceparent as string | undefined)
    return path === '/fine' ? { fine: true } : { status: 422, reason: 'no' }
  })
  await using collector = await openCollector()
  const call = openProviderClient({ provider: 'planted', baseUrl: server.url })
  await call({ path: '/fine' })
  await open(collector.url)
  const root = beginTrace('work', 'internal')!
  await runInTrace(root, () => call({ path: '/fine' }))
  await expect(runInTrace(root, () => call({ path: '/other' }))).rejects.toThrow('422')
  endSpan(root)
  await tracing!.close()
  const spans = collector.spans().filter(({ name }) => name === 'provider planted')
  expect(spans.map(({ parentSpanId, kind, error }) => [parentSpanId, kind, error])).toEqual([
    [root.spanId, 3, undefined],
    [root.spanId, 3, 'ProviderRefusal'],
  ])
  expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual([undefined, 'ProviderRefusal'])
  expect(seen).toEqual([undefined, ...spans.map(({ spanId }) => `00-${root.traceId}-${spanId}-01`)])
  expect(readCallCounts().get('planted')).toEqual({ ok: 2, refused: 1, failed: 0 })
})

test.each([
  [{}, [true, true, false]],
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, [false, false, false]],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_always_off' }, [false, true, false]],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }, [false, false, false]],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '1' }, [true, true, false]],
] as const)(
  '%o records a trace of its own, of a caller that records, and of one that does not: %o',
  async (env, expected) => {
    await open('http://127.0.0.1:9', env)
    const id = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7'
    const [own, recorded, unrecorded] = [await work(), await work(`00-${id}-01`), await work(`00-${id}-00`)]
    expect([own.isSampled, recorded.isSampled, unrecorded.isSampled]).toEqual(expected)
  },
)

test('a share is taken by the random end of the trace id, so that all processes decide alike', () => {
  const isSampled = createSampler({ name: 'traceidratio', ratio: 0.25 })
  const ids = ['000000000000', '3fffffffffff', '400000000000', 'ffffffffffff'].map(end => `${'f'.repeat(20)}${end}`)
  expect(ids.map(id => isSampled(id, undefined))).toEqual([true, true, false, false])
})

test.each([
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
])('%s is no traceparent', text => {
  expect(parseTraceparent(text)).toBeUndefined()
})

test('what the exporter cannot do is refused with a sentence', () => {
  const load = (env: Record<string, string>) => () =>
    loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector', ...env })
  expect(load({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toThrow('OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/json')
  expect(load({ OTEL_EXPORTER_OTLP_HEADERS: 'no-value' })).toThrow(
    /^OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs/,
  )
  expect(load({ OTEL_TRACES_SAMPLER_ARG: '1.5' })).toThrow('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
})
