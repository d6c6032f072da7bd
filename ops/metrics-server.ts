import { createServer, type Server } from 'node:http'

/** Serves `/metrics` on its own port, which only the operator's network should reach. */
export function openMetricsServer(
  at: { host: string; port: number },
  metrics: () => Promise<{ contentType: string; text: string }>,
  onError: (error: Error) => void,
): { close(): Promise<void> } {
  const server: Server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics().then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      (error: Error) => {
        onError(error)
        response.writeHead(500).end()
      },
    )
  })
  server.on('error', onError)
  server.listen(at.port, at.host).unref()
  return {
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
