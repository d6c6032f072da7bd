import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createOutboundFetch, openPools, type Pools } from '../../../../pools/index.ts'
import { loadOperation } from '../../../../tasks/index.ts'

const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined }
const LIMIT_SECONDS = 60
const DEFAULTS = new Ajv2020({ strict: false, useDefaults: true, validateFormats: false })

/**
 * Pools as a worker has them, except that they reach this machine: no worker can be told to, because what is not public is
 * never reached. So neither the api nor the ledger is measured.
 */
export function openLocalPools(folder: string): Promise<Pools> {
  return openPools({
    workRoot: join(folder, 'work'),
    lanes: { thread: 2, native: 4, program: 2, remote: 4 },
    sandbox: 'auto',
    production: false,
    log: SILENT_LOG,
    outbound: createOutboundFetch({ isTrusted: () => true }),
  })
}

/** Runs an operation with the defaults of its fields, and removes what it made. */
export async function runOperation(pools: Pools, name: string, body: object): Promise<unknown> {
  const { input: schema } = await loadOperation(name)
  const jobId = randomUUID()
  const folder = await pools.openFolder(jobId)
  try {
    const input = structuredClone(body)
    DEFAULTS.validate(schema, input)
    const signal = new AbortController().signal
    const answer = await pools.run({ jobId, operation: name, input, folder, signal, limitSeconds: LIMIT_SECONDS })
    if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(answer.problem)}`)
    return answer.outcome.result
  } finally {
    await pools.closeFolder(jobId)
  }
}

const PARAGRAPH =
  'The keeper of the light writes down the wind, the tide and every ship that passes, and reads them out in the evening. '

const ARTICLE = `<!doctype html><html lang="en"><title>The log of the light</title><meta charset="utf-8">
<link rel="stylesheet" href="/style.css"><nav><a href="/">Home</a> <a href="/about">About</a></nav>
<article><h1>The log of the light</h1>${Array.from(
  { length: 12 },
  (_, index) => `<h2>Day ${index + 1}</h2><p>${PARAGRAPH.repeat(3)}<a href="/day/${index}">more</a></p>`,
).join('')}<img src="/picture.svg" width="300" height="200" alt="The light"></article><footer>Harbour</footer>`
const STYLE = 'body { font: 16px/1.5 sans-serif; max-width: 40em; margin: 2em auto } h2 { color: #246 }'
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><circle cx="150" cy="100" r="80"/></svg>'

/** A site of an article with a style and an image. */
export async function startSite(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer(({ url }, response) => {
    if (url === '/style.css') response.setHeader('content-type', 'text/css').end(STYLE)
    else if (url === '/picture.svg') response.setHeader('content-type', 'image/svg+xml').end(DRAWING)
    else response.setHeader('content-type', 'text/html; charset=utf-8').end(ARTICLE)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/`, [Symbol.asyncDispose]: close }
}
