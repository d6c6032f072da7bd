import type { FastifyInstance } from 'fastify'
import { createApp, type FindApp, registerOperation } from './app.ts'
import type { NamedRoute } from './catalog.ts'
import type { ApiContext } from './context.ts'
import { billableRoute, isPriced } from './intake/billable.ts'
import { callHandler } from './intake/call-handler.ts'
import { registerObjectRoutes, type Uploads } from './intake/files/object-routes.ts'
import { routeHandler } from './intake/route-handler.ts'
import { Offers } from './intake/x402/offers.ts'
import { registerMcp } from './mcp/handler.ts'
import { registerPages } from './pages/register.ts'
import { registerEndpoints } from './product-parts.ts'

interface ServerParts {
  /** Takes files of products. */
  uploads: Uploads
  offers: Offers | undefined
  /** Answers the operations of the operator. */
  findOther?: FindApp
}

/** The HTTP server: every operation and route of the catalogue, and what comes before all of them. */
export async function buildServer(
  context: ApiContext,
  { uploads, offers, findOther }: ServerParts,
): Promise<FastifyInstance> {
  const { catalog, store } = context
  const app = createApp(context, offers, findOther)
  for (const operation of catalog.operations) if (!operation.version) registerOperation(app, context, operation)
  for (const route of catalog.routes) registerRoute(app, context, route)
  registerMcp(app, context)
  await registerEndpoints(app, context)
  await registerPages(app, context)
  registerObjectRoutes(app, store, uploads)
  return app
}

export async function openOffers({ payments, catalog, config, calls, clock }: ApiContext): Promise<Offers | undefined> {
  if (!payments) return undefined
  await calls.proofs?.refresh()
  return new Offers(payments.network, catalog, { ...config, proofs: calls.proofs, clock })
}

function registerRoute(app: FastifyInstance, context: ApiContext, route: NamedRoute): void {
  const [method, path] = route.at.split(' ') as ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string]
  const { name: entry, summary, auth, rawBody: isRaw, ownAuth: hasOwnAuth, connectorScope, problemForm } = route
  const facts = { entry, summary, auth, connectorScope, problemForm }
  const isStreamed = route.streamBody !== undefined
  const isBodyOptional = isPriced(route) && route.bodyOptional
  const isUncounted = route.family === 'system'
  const config = { ...facts, isRaw, isStreamed, isBodyOptional, hasOwnAuth, isUncounted }
  const handler = isPriced(route) ? callHandler(context, billableRoute(route)) : routeHandler(context, route)
  app.route({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1'), config, handler })
}
