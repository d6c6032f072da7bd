import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import type { IncomingRequest } from '../incoming-call.ts'
import { replyProblem } from '../intake/reply/problem.ts'
import { renderProblemPage } from './problem.ts'
import { sendPage, setSecurityHeaders } from './send.ts'

/** Browsers get a page; every other client gets the problem as JSON. */
export function answerUnknownPath(
  context: ApiContext,
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('vary', 'Accept')
  if (!wantsPage(request)) return replyProblem(problem, request, reply)
  setSecurityHeaders(context, reply)
  return sendPage(reply.code(problem.status), renderProblemPage(context, problem, false))
}

/** A browser that follows a link accepts HTML by name; scripts and command lines accept anything, or JSON. */
export function wantsPage({ method, headers }: IncomingRequest): boolean {
  const types = (headers.accept ?? '').toLowerCase().split(',')
  const accepts = (type: string) =>
    types.some(item => item.trim().split(';')[0] === type && !/;\s*q=0(\.0*)?\s*$/.test(item))
  return (method === 'GET' || method === 'HEAD') && accepts('text/html') && !accepts('application/json')
}
