import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../support/machine/eventually.ts'
import { plainPdf } from '../../support/pdf/document.ts'
import { openWebhookReceiver, type WebhookReceiver } from '../../support/servers/webhook-receiver.ts'
import type { Role } from '../../support/stack/role.ts'
import { type Stack, startStack } from '../../support/stack/start.ts'
import { type Collector, openCollector, type ReceivedSpan } from '../../support/tracing/collector.ts'

let collector: Collector
let receiver: WebhookReceiver
let stack: Stack
let worker: Role
beforeAll(async () => {
  ;[collector, receiver] = await Promise.all([openCollector(), openWebhookReceiver()])
  stack = await startStack({
    worker: false,
    env: {
      LOG_LEVEL: 'debug',
      ...{
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20of-the-collector',
      },
      WEBHOOK_NETWORKS: '127.0.0.1',
    },
  })
  worker = await stack.startWorker()
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await Promise.all([receiver[Symbol.asyncDispose](), collector[Symbol.asyncDispose]()])
})

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }

/** The names of the spans from the root to this one. */
function pathOf(span: ReceivedSpan, all: readonly ReceivedSpan[]): string[] {
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId)
  return [...(parent ? pathOf(parent, all) : []), span.name]
}

async function waitForSpans(traceId: string, names: readonly string[]): Promise<ReceivedSpan[]> {
  const find = () => collector.spans().filter(span => span.traceId === traceId)
  return eventually(`the spans ${names.join(', ')}`, () => {
    const found = find()
    return names.every(name => found.some(span => span.name === name)) && found
  })
}

test('one call is one trace: caller, api, queue, worker, program, store and webhook', async () => {
  const customer = await stack.customer()
  // Words that no span may hold: a path of a webhook, a key of idempotency, a file name, an input, and a query.
  const planted = [
    'of-the-collector',
    'hook-of-milena',
    'idem-of-milena',
    'file-of-milena',
    'text-of-milena',
    'query-of-milena',
  ]
  await customer.post('/v1/webhooks', { url: `${receiver.url}/hook-of-milena`, events: ['job.completed'] })
  receiver.answer('/hook-of-milena', response => void response.writeHead(200).end())
  const answer = await customer.post(
    '/v1/pdf/rotate?note=query-of-milena',
    { file: { inline: Buffer.from(plainPdf(3)).toString('base64') }, degrees: '90', filename: 'file-of-milena.pdf' },
    { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`, 'idempotency-key': 'idem-of-milena' },
  )
  expect(answer.status, answer.text).toBe(200)
  expect(answer.headers.get('x-trace-id')).toBe(CALLER.traceId)
  const spans = await waitForSpans(CALLER.traceId, [
    'POST /v1/pdf/rotate',
    'perform pdf.rotate',
    'webhook job.completed',
  ])
  const paths = spans.map(span => pathOf(span, spans).join(' > '))
  const [request, run] = ['POST /v1/pdf/rotate', 'POST /v1/pdf/rotate > run']
  const performed = `${run} > perform pdf.rotate`
  expect(paths).toEqual(
    expect.arrayContaining([
      ...[
        request,
        `${request} > identify`,
        `${request} > read body`,
        `${request} > receive`,
        `${request} > stage files`,
        `${request} > price`,
      ],
      ...[
        `${request} > fund`,
        run,
        `${run} > sql job.intake_batch`,
        `${run} > wait for the job`,
        `${request} > reply`,
        performed,
      ],
      ...[
        `${performed} > wait in queue`,
        `${performed} > prepare`,
        `${performed} > run`,
        `${performed} > sql job.finish_batch`,
      ],
      ...[`${performed} > store > storage putFile`, `${run} > webhook job.completed`],
      `${run} > webhook job.completed > sql webhook.finish_batch`,
    ]),
  )
  expect(
    paths.filter(path => /> (program|engine) \S+$/.test(path)),
    paths.join('\n'),
  ).not.toEqual([])
  const find = (name: string) => spans.find(span => span.name === name)!
  expect(find('POST /v1/pdf/rotate')).toMatchObject({
    ...{ parentSpanId: CALLER.spanId, kind: 2, error: undefined },
    attributes: {
      'http.response.status_code': 200,
      'http.route': '/v1/pdf/rotate',
      'coinop.account_id': customer.accountId,
    },
    resource: { 'service.name': 'coinop-api', 'coinop.role': 'api' },
  })
  const jobId = answer.headers.get('x-service-job-id')!
  expect(find('perform pdf.rotate')).toMatchObject({
    ...{ kind: 5, attributes: { 'coinop.job_id': jobId, 'coinop.operation': 'pdf.rotate' } },
    resource: { 'service.name': 'coinop-worker' },
  })
  for (const { name, startMs, endMs } of spans) expect(endMs, name).toBeGreaterThanOrEqual(startMs)
  expect(find('webhook job.completed')).toMatchObject({
    error: undefined,
    attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
  })
  const [message] = receiver.at('/hook-of-milena')
  expect(message!.headers.traceparent).toBe(`00-${CALLER.traceId}-${find('webhook job.completed').spanId}-01`)
  const refused = await customer.post('/v1/utils/jwt-decode', { token: 'text-of-milena' })
  const failed = await waitForSpans(refused.headers.get('x-trace-id')!, ['POST /v1/utils/jwt-decode'])
  expect(failed.find(({ name }) => name === 'run')).toMatchObject({
    error: undefined,
    attributes: { 'coinop.problem': refused.body.code },
  })
  const sent = collector.batches.map(({ text }) => text).join('\n')
  for (const word of [...planted, customer.key, stack.secret, stack.databaseUrl]) expect(sent).not.toContain(word)
  for (const { path, headers } of collector.batches)
    expect([path, headers['content-type'], headers.authorization]).toEqual([
      '/v1/traces',
      'application/json',
      'Basic of-the-collector',
    ])
})

test('metrics have the trace as an exemplar where OpenMetrics is asked for, and a line of the log names its trace', async () => {
  const customer = await stack.customer()
  const answer = await customer.post('/v1/utils/hash', { text: 'hello' })
  const traceId = answer.headers.get('x-trace-id')!
  const scrape = async (url: string, accept?: string) => {
    const reply = await fetch(`${url}/metrics`, { headers: accept === undefined ? {} : { accept } })
    return { type: reply.headers.get('content-type'), text: await reply.text() }
  }
  const open = await scrape(stack.adminUrl, 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
  expect(open.type).toMatch(/^application\/openmetrics-text/)
  expect(open.text).toMatch(
    new RegExp(
      `^coinop_http_request_seconds_bucket\\{.*entry="utils\\.hash".*\\} \\d+ # \\{trace_id="${traceId}"\\}`,
      'm',
    ),
  )
  expect(open.text).toMatch(/\n# EOF\n$/)
  for (const url of [stack.adminUrl, stack.workerAdminUrl]) {
    const plain = await scrape(url)
    expect(plain.type).toMatch(/^text\/plain/)
    expect(plain.text).not.toMatch(/trace_id=|EOF|_total_total/)
    expect(plain.text).toMatch(/^# TYPE coinop_spans_total counter\n(.*\n)*?coinop_spans_total\{end="sent"\} \d+/m)
  }
  expect(findLine(stack.api, 'answered', traceId)).toMatchObject({ entry: 'utils.hash', status: 200 })
  const queued = await customer.post('/v1/utils/hash', { text: 'hello', async: true })
  const line = await eventually('the worker to tell of the job', () =>
    findLine(worker, 'performed', queued.headers.get('x-trace-id')!),
  )
  expect(line).toMatchObject({ jobId: queued.body.id, operation: 'utils.hash', status: 'succeeded' })
})

/** The line of the log of a process that tells of something in a trace. */
function findLine(role: Role, msg: string, traceId: string): object | undefined {
  const lines = role
    .log()
    .split('\n')
    .filter(line => line.includes(traceId))
  return lines.map(line => JSON.parse(line) as { msg: string }).find(line => line.msg === msg)
}
