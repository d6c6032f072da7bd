import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import type { Db } from '../../sql/db.ts'
import { OPERATOR_ROLES, type OperatorRole } from '../../sql/operator.ts'
import { readForm } from '../intake/body/form.ts'
import { type KeptFile, sendKeptFile } from '../intake/reply/kept-file.ts'
import { toProblem } from '../intake/reply/problem.ts'
import { Html, html } from '../pages/parts/html.ts'
import { sendPage } from '../pages/send.ts'
import {
  CSRF_FIELD,
  FORM_FIELD,
  type OperatorSession,
  readOperatorSession,
  requireConsoleOrigin,
  requireFormToken,
} from './access/session.ts'
import type { ConsoleContext } from './context.ts'
import { renderConsolePage } from './parts/layout.ts'
import { describeProblem } from './parts/problem.ts'

export interface ConsoleRequest {
  session: OperatorSession
  params: Record<string, string>
  query: Record<string, string>
  form: URLSearchParams
  request: FastifyRequest
  reply: FastifyReply
  /** Reads and changes in the name of the operator. */
  db: Db
}

type ConsoleResult = Html | { redirectTo: string } | { download: KeptFile }

/** A page for operators. What it changes is decided on by the database; the role here only hides what would be refused. */
export interface ConsolePage {
  at: `${'GET' | 'POST'} /${string}`
  role: OperatorRole
  render(page: ConsoleRequest, context: ConsoleContext): Promise<ConsoleResult> | ConsoleResult
}

export function defineConsolePage(
  at: ConsolePage['at'],
  role: OperatorRole,
  render: ConsolePage['render'],
): ConsolePage {
  return { at, role, render }
}

export function hasRole({ operator }: OperatorSession, role: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(operator.role) >= OPERATOR_ROLES.indexOf(role)
}

export function registerConsolePage(app: FastifyInstance, context: ConsoleContext, page: ConsolePage): void {
  const [method, url] = page.at.split(' ') as ['GET' | 'POST', string]
  app.route({
    method,
    url: url.replaceAll(/\{(\w+)\}/g, ':$1'),
    handler: (request, reply) => handle(context, page, request, reply),
  })
}

async function handle(
  context: ConsoleContext,
  page: ConsolePage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await readOperatorSession(context, request)
  if (!session) return reply.redirect('/sign-in', 303)
  try {
    const form = request.method === 'POST' ? await readForm(request) : new URLSearchParams()
    if (request.method === 'POST') {
      requireConsoleOrigin(context, request)
      requireFormToken(session, form.get(CSRF_FIELD))
    }
    if (!hasRole(session, page.role)) throw new Problem('FORBIDDEN', { role: session.operator.role, needed: page.role })
    const [params, query] = [request.params, request.query] as [Record<string, string>, Record<string, string>]
    const sent = form.get(FORM_FIELD)?.slice(0, 100)
    const db = context.acting.as({ session: session.hash, address: request.ip, form: sent })
    const result = await page.render({ session, params, query, form, request, reply, db }, context)
    return send(reply, result)
  } catch (error) {
    return sendProblem(error, session, request, reply)
  }
}

function send(reply: FastifyReply, result: ConsoleResult): FastifyReply {
  if (result instanceof Html) return sendPage(reply, result)
  if ('redirectTo' in result) return reply.redirect(result.redirectTo, 303)
  sendKeptFile(reply, result.download)
  return reply
}

function sendProblem(
  error: unknown,
  session: OperatorSession,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = toProblem(error)
  if (problem.code === 'INTERNAL') request.log.error({ err: error }, 'bug')
  const content = html`<section class="card"><p class="eyebrow">${problem.status} · ${problem.code}</p><p>${describeProblem(problem)}</p><p class="row"><a class="button small" href="${request.headers.referer ?? '/'}">Back</a></p></section>`
  return sendPage(
    reply.code(problem.status),
    renderConsolePage(session, { path: '', title: 'That did not work', content }),
  )
}
