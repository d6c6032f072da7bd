import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { Floor } from '../floor.ts'
import { CSRF_FIELD, requireCsrf, requireOwnOrigin } from '../intake/csrf.ts'
import { problemOf } from '../intake/problems.ts'
import { type Session, sessionOf } from '../intake/session.ts'
import { accountPages } from './account.ts'
import { billingPages } from './billing.ts'
import { Html } from './html.ts'
import { jobPages } from './jobs.ts'
import { keyPages } from './keys.ts'
import { landingPages } from './landing.ts'
import { ledgerPages } from './ledger.ts'
import { overviewPages } from './overview.ts'
import type { Page } from './page.ts'
import { problemPage } from './problem.ts'
import { providerPages } from './provider.ts'
import { signInPages } from './sign-in.ts'

const PAGES: readonly Page[] = [
  landingPages,
  signInPages,
  providerPages,
  overviewPages,
  ledgerPages,
  keyPages,
  jobPages,
  billingPages,
  accountPages,
].flat()

const FORM_BYTES = 16 * 1_024

export function registerPages(app: FastifyInstance, floor: Floor): void {
  for (const page of PAGES) {
    const [method, url] = page.at.split(' ') as ['GET' | 'POST', string]
    const entry = `page.${url.split('/')[1] || 'landing'}`
    app.route({
      method,
      url: url.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { entry },
      handler: (request, reply) => answer(floor, page, request, reply),
    })
  }
  registerAsset(app, 'pages.css', 'text/css; charset=utf-8')
  registerAsset(app, 'pages.js', 'text/javascript; charset=utf-8')
  registerAsset(app, 'wallet.js', 'text/javascript; charset=utf-8')
  registerAsset(app, 'coin.svg', 'image/svg+xml')
}

async function answer(floor: Floor, page: Page, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  protect(floor, reply)
  let session: Session | undefined
  try {
    session = await sessionOf(floor, request)
    if (page.isPrivate && !session) return await goTo(reply, '/sign-in')
    const form = request.method === 'POST' ? await formOf(request) : new URLSearchParams()
    if (request.method === 'POST') guard(floor, page, request, session, form)
    const [params, query] = [request.params, request.query] as [Record<string, string>, Record<string, string>]
    const shown = await page.show({ session, params, query: onlyTexts(query), form, request, reply }, floor)
    return shown instanceof Html ? await send(reply, shown) : await goTo(reply, shown.to)
  } catch (error) {
    const problem = problemOf(error)
    if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
    return send(reply.code(problem.status), problemPage(problem, session !== undefined))
  }
}

/** Before anybody is signed in there is no token yet; where the form comes from must still be here. */
function guard(
  { config }: Floor,
  page: Page,
  request: FastifyRequest,
  session: Session | undefined,
  form: URLSearchParams,
): void {
  if (page.isPrivate && session) requireCsrf(config, request, session.word, form.get(CSRF_FIELD))
  else requireOwnOrigin(config, request)
}

/** Nothing from elsewhere, nothing inline, in nobody's frame. Stripe's page may follow a form of ours. */
function protect({ config, stripe }: Floor, reply: FastifyReply): void {
  const targets = ["'self'", ...(stripe ? ['https://checkout.stripe.com'] : [])].join(' ')
  const policy = `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`
  reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('x-frame-options', 'DENY')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .removeHeader('access-control-allow-origin')
  if (config.publicUrl.startsWith('https://')) reply.header('strict-transport-security', 'max-age=31536000')
}

function send(reply: FastifyReply, page: Html): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(page.text)
}

function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.redirect(address, 303)
}

function onlyTexts(query: Record<string, unknown>): Record<string, string> {
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return Object.fromEntries(pairs)
}

async function formOf({ headers, body }: FastifyRequest): Promise<URLSearchParams> {
  if (body === undefined || body === null) return new URLSearchParams()
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', { accepted: ['application/x-www-form-urlencoded'] })
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of body as Readable) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > FORM_BYTES) throw new Problem('BODY_TOO_LARGE', { ceiling: FORM_BYTES })
    chunks.push(chunk as Buffer)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

function registerAsset(app: FastifyInstance, name: string, contentType: string): void {
  const bytes = readFileSync(new URL(`assets/${name}`, import.meta.url))
  app.route({
    method: 'GET',
    url: `/pages/${name}`,
    config: { entry: 'page.asset', isUncounted: true },
    handler: (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=300')
        .header('x-content-type-options', 'nosniff')
        .type(contentType)
        .send(bytes),
  })
}
