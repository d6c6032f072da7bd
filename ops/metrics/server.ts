import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type OpenMetricsContentType, Registry } from 'prom-client'

export type MetricsRegistry = Registry<OpenMetricsContentType>

/** Metrics are kept in the form of OpenMetrics, which alone has exemplars. */
export function openRegistry(): MetricsRegistry {
  const registry: MetricsRegistry = new Registry()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  return registry
}

const RETRY_MS = 5_000

/** Serves `/metrics` on its own port, which only the operator's network should reach. */
export function openMetricsServer(
  at: { host: string; port: number; retryMs?: number },
  registry: MetricsRegistry,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const server: Server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    answer(registry, request, response).catch((error: Error) => {
      onError(error)
      response.writeHead(500).end()
    })
  })
  let retry: NodeJS.Timeout | undefined
  const listen = () => void server.listen(at.port, at.host).unref()
  // The port may be that of a program that ends later, such as the process before this one.
  server.on('error', error => {
    if (retry === undefined) onError(error)
    if (!server.listening) retry = setTimeout(listen, at.retryMs ?? RETRY_MS).unref()
  })
  listen()
  return {
    close: () =>
      new Promise(resolve => {
        clearTimeout(retry)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** OpenMetrics for those who ask for it, as Prometheus does; for others the older form without exemplars. */
async function answer(registry: MetricsRegistry, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await registry.metrics()
  const isOpenMetrics = /application\/openmetrics-text/i.test(request.headers.accept ?? '')
  const contentType = isOpenMetrics ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE
  response.writeHead(200, { 'content-type': contentType }).end(isOpenMetrics ? text : toPlainForm(text))
}

const EXEMPLAR = / # \{.*$/
const COUNTER = /^# TYPE (\S+) counter$/

/** In the older form a counter has its whole name in its head, there are no exemplars, and nothing marks the end. */
function toPlainForm(text: string): string {
  const lines = text.split('\n')
  const counters = new Set(lines.map(line => COUNTER.exec(line)?.[1]).filter(name => name !== undefined))
  const plain = lines.flatMap(line => {
    if (line === '# EOF') return []
    if (!line.startsWith('# ')) return [line.replace(EXEMPLAR, '')]
    const [, kind, name = '', rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    return [counters.has(name) ? `# ${kind} ${name}_total ${rest}` : line]
  })
  return plain.join('\n')
}
