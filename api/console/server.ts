import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { Problem } from '#kit'
import { products } from '../../tasks/products/index.ts'
import { toProblem } from '../intake/reply/problem.ts'
import type { ConsoleContext } from './context.ts'
import { registerGraphQl } from './graphql.ts'
import { type ConsolePage, registerConsolePage } from './page.ts'
import { accountPages } from './pages/accounts.ts'
import { incidentPages } from './pages/incidents.ts'
import { jobPages } from './pages/jobs.ts'
import { lanePages } from './pages/lanes.ts'
import { logPages } from './pages/log.ts'
import { operatorPages } from './pages/operators.ts'
import { paymentPages } from './pages/payments.ts'
import { pluginPages } from './pages/plugins.ts'
import { pricePages } from './pages/prices.ts'
import { refundPages } from './pages/refunds.ts'
import { retentionPages } from './pages/retention.ts'
import { settingPages } from './pages/settings.ts'
import { stepPages } from './pages/steps.ts'
import { todayPages } from './pages/today.ts'
import { addConsoleLinks } from './parts/layout.ts'
import { policyOf } from './parts/policy.ts'
import { registerSignIn } from './sign-in.ts'

const PAGES: readonly ConsolePage[] = [
  todayPages,
  accountPages,
  jobPages,
  refundPages,
  lanePages,
  pricePages,
  pluginPages,
  settingPages,
  paymentPages,
  stepPages,
  incidentPages,
  retentionPages,
  logPages,
  operatorPages,
].flat()

const ASSETS = {
  'pages.css': 'text/css; charset=utf-8',
  'pages.js': 'text/javascript; charset=utf-8',
  'coin.svg': 'image/svg+xml',
}

/** The HTTP server of the console. */
export async function buildConsole(context: ConsoleContext): Promise<FastifyInstance> {
  const { config, log } = context
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: 256 * 1_024,
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
  })
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => done(null, payload))
  app.addHook('onRequest', async (request, reply) => {
    if (request.url.includes('%00')) throw new Problem('INVALID_PARAM', { reason: 'it has a NUL character' })
    reply
      .header('content-security-policy', policyOf("'self'"))
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'DENY')
      .header('x-robots-tag', 'noindex')
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-store')
    if (config.console.url.startsWith('https://')) reply.header('strict-transport-security', 'max-age=31536000')
  })
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error)
    if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
    return reply.code(problem.status).send(problem.toBody())
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send('There is no such page.\n'))
  registerSignIn(app, context)
  await registerGraphQl(app, context)
  for (const page of [...PAGES, ...(await loadProductPages())]) registerConsolePage(app, context, page)
  for (const [name, type] of Object.entries(ASSETS))
    registerAsset(app, `../pages/assets/${name}`, `/pages/${name}`, type)
  // GraphiQL's page names no icon, so browsers ask for this one.
  registerAsset(app, '../pages/assets/coin.svg', '/favicon.ico', ASSETS['coin.svg'])
  registerAsset(app, './assets/passkey.js', '/console/passkey.js', ASSETS['pages.js'])
  return app
}

interface ProductConsole {
  default: readonly ConsolePage[]
  link: { path: string; title: string }
}

const productsFolder = fileURLToPath(new URL('../products/', import.meta.url))

/** A file of `console` in the folder of a product default-exports pages, and the link that leads to them. */
async function loadProductPages(): Promise<ConsolePage[]> {
  const files = products.flatMap(({ name }) => {
    const folder = `${productsFolder}${name}/console`
    return existsSync(folder) ? readdirSync(folder).map(file => `${folder}/${file}`) : []
  })
  const modules = await Promise.all(files.map(file => import(file) as Promise<ProductConsole>))
  addConsoleLinks(modules.map(({ link }) => link))
  return modules.flatMap(module => module.default)
}

function registerAsset(app: FastifyInstance, file: string, url: string, type: string): void {
  const bytes = readFileSync(new URL(file, import.meta.url))
  app.get(url, (_request, reply) => reply.header('cache-control', 'public, max-age=300').type(type).send(bytes))
}
