import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import { readForm } from '../intake/body/form.ts'
import { CSRF_FIELD, requireCsrf, requireOwnOrigin } from '../intake/identity/csrf.ts'
import { readSession, requireOwnSession, returnAfterSignIn, type Session } from '../intake/identity/session.ts'
import { acceptsGzip } from '../intake/reply/compress.ts'
import { toProblem } from '../intake/reply/problem.ts'
import { listPageFiles } from '../product-parts.ts'
import { accountPages } from './account.ts'
import { billingPages } from './billing.ts'
import { inboxPages } from './inbox.ts'
import { jobPages } from './jobs/list.ts'
import { keyPages } from './keys.ts'
import { ledgerPages } from './ledger.ts'
import { overviewPages } from './overview.ts'
import { Html } from './parts/html.ts'
import type { Page } from './parts/page.ts'
import { renderProblemPage } from './problem.ts'
import { providerPages } from './provider.ts'
import { sendCompressed, sendPage, setSecurityHeaders } from './send.ts'
import { signInPages } from './sign-in.ts'
import { sitePages } from './site/pages.ts'
import { statusPages } from './status.ts'

const PLATFORM_PAGES: readonly Page[] = [
  sitePages,
  statusPages,
  signInPages,
  providerPages,
  overviewPages,
  inboxPages,
  ledgerPages,
  keyPages,
  jobPages,
  billingPages,
  accountPages,
].flat()

async function loadProductPages(): Promise<Page[]> {
  const load = (file: string) => import(file) as Promise<{ default: readonly Page[] }>
  const modules = await Promise.all(listPageFiles().map(load))
  return modules.flatMap(module => module.default)
}

export async function registerPages(app: FastifyInstance, context: ApiContext): Promise<void> {
  for (const page of [...PLATFORM_PAGES, ...(await loadProductPages())]) {
    const [method, url] = page.at.split(' ') as ['GET' | 'POST', string]
    const entry = `page.${url.split('/')[1] || 'landing'}`
    app.route({
      method,
      url: url.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { entry, isUncounted: page.isAlone },
      handler: (request, reply) => handlePage(context, page, request, reply),
    })
  }
  registerAsset(app, 'pages.css', 'text/css; charset=utf-8')
  registerAsset(app, 'pages.js', 'text/javascript; charset=utf-8')
  registerAsset(app, 'wallet.js', 'text/javascript; charset=utf-8')
  registerAsset(app, 'coin.svg', 'image/svg+xml')
}

async function handlePage(
  context: ApiContext,
  page: Page,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  setSecurityHeaders(context, reply)
  let session: Session | undefined
  try {
    session = await findSessionFor(context, page, request)
    if (page.isPrivate && !session) return await redirect(reply, askToSignIn(context, page, request, reply))
    const form = request.method === 'POST' && !page.takesFiles ? await readForm(request) : new URLSearchParams()
    if (request.method === 'POST') requireTrustedForm(context, page, request, session, form)
    const [params, query] = [request.params, request.query] as [Record<string, string>, Record<string, string>]
    const result = await page.render({ session, params, query: keepStrings(query), form, request, reply }, context)
    return await sendRendered(page, request, reply, result)
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
    return sendPage(reply.code(problem.status), renderProblemPage(context, problem, session !== undefined))
  }
}

/**
 * Where one is led whose session has ended, and from there back: to the page that was asked for, or that had the form. What a form
 * of another site sends is led nowhere.
 */
function askToSignIn(context: ApiContext, page: Page, request: FastifyRequest, reply: FastifyReply): string {
  if (page.at === 'POST /sign-out') return '/sign-in'
  if (request.method === 'GET') {
    returnAfterSignIn(context, reply, request.url)
    return '/sign-in'
  }
  requireOwnOrigin(context.config, request)
  const { referer = '' } = request.headers
  const from = URL.canParse(referer) ? new URL(referer) : undefined
  if (from && from.origin === request.headers.origin) returnAfterSignIn(context, reply, from.pathname + from.search)
  return '/sign-in?ended=form'
}

/** Public pages stay open to the browser of a suspended account, which may sign in to another one. */
async function findSessionFor(context: ApiContext, page: Page, request: FastifyRequest): Promise<Session | undefined> {
  if (page.isAlone) return undefined
  try {
    return await readSession(context, request)
  } catch (error) {
    if (!page.isPrivate && error instanceof Problem && error.code === 'ACCOUNT_SUSPENDED') return undefined
    throw error
  }
}

async function sendRendered(
  { isCompressed }: Page,
  request: FastifyRequest,
  reply: FastifyReply,
  result: Awaited<ReturnType<Page['render']>>,
): Promise<FastifyReply> {
  if (result instanceof Html) return isCompressed ? sendCompressed(request, reply, result) : sendPage(reply, result)
  if ('redirectTo' in result) return redirect(reply, result.redirectTo)
  return reply.headers(result.headers).send(result.body)
}

/**
 * A signed-in visitor's form must carry the CSRF token; a page that reads the form itself checks it there. Before sign-in there is
 * no token, so the origin must be ours.
 */
function requireTrustedForm(
  { config }: ApiContext,
  page: Page,
  request: FastifyRequest,
  session: Session | undefined,
  form: URLSearchParams,
): void {
  if (page.isPrivate && session) {
    if (page.takesFiles) requireOwnOrigin(config, request)
    else requireCsrf(config, request, session.token, form.get(CSRF_FIELD))
    if (page.at !== 'POST /sign-out') requireOwnSession(session)
  } else requireOwnOrigin(config, request)
}

function redirect(reply: FastifyReply, address: string): FastifyReply {
  return reply.redirect(address, 303)
}

function keepStrings(query: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return Object.fromEntries(pairs)
}

function registerAsset(app: FastifyInstance, name: string, contentType: string): void {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url))
  const compressed = gzipSync(bytes)
  app.route({
    method: 'GET',
    url: `/pages/${name}`,
    config: { entry: 'page.asset', isUncounted: true },
    handler: (request, reply) => {
      reply
        .header('cache-control', 'public, max-age=300')
        .header('vary', 'accept-encoding')
        .header('x-content-type-options', 'nosniff')
        .type(contentType)
      if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(bytes)
      return reply.header('content-encoding', 'gzip').send(compressed)
    },
  })
}
