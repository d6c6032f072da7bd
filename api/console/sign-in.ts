import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit'
import { seal, unseal } from '../../ops/secrets.ts'
import { findOperator, findOperatorByLink, type Operator, setTotp, useTotp } from '../../sql/operator.ts'
import { readForm } from '../intake/body/form.ts'
import { requireTokenRate } from '../intake/identity/rate-limit.ts'
import { toProblem } from '../intake/reply/problem.ts'
import { sendPage } from '../pages/send.ts'
import { hashEnrolmentToken } from './access/links.ts'
import {
  acceptPasskey,
  askForPasskey,
  browserWord,
  canUsePasskeys,
  checkPasskey,
  offerPasskey,
} from './access/passkeys.ts'
import {
  beginOperatorSession,
  CSRF_FIELD,
  endOperatorSession,
  readOperatorSession,
  requireConsoleOrigin,
  requireFormToken,
} from './access/session.ts'
import { deriveTotpSecret, findTotpStep, formatTotpUri } from './access/totp.ts'
import type { ConsoleContext } from './context.ts'
import { renderEnrolment, renderSignIn } from './parts/sign-in.ts'

/** Guesses of a minute: from one address, and of one operator from everywhere. */
const [GUESSES_OF_ADDRESS, GUESSES_OF_OPERATOR] = [10, 5]

/** What is open before sign-in: the sign-in itself, and the links with which operators add what they sign in with. */
export function registerSignIn(app: FastifyInstance, context: ConsoleContext): void {
  app.get('/sign-in', (_request, reply) => sendPage(reply, renderSignIn({ hasPasskeys: canUsePasskeys(context) })))
  app.post('/sign-in', (request, reply) => signIn(context, request, reply))
  app.post('/sign-in/passkey/options', async request => {
    requireConsoleOrigin(context, request)
    return await askForPasskey(context, wordOf(context, request))
  })
  app.post('/sign-in/passkey', (request, reply) => signInByPasskey(context, request, reply))
  app.post('/sign-out', async (request, reply) => {
    const session = await readOperatorSession(context, request)
    requireConsoleOrigin(context, request)
    if (session) {
      requireFormToken(session, (await readForm(request)).get(CSRF_FIELD))
      await endOperatorSession(context, session, reply)
    }
    return reply.redirect('/sign-in', 303)
  })
  app.get('/enrol/:token', async (request, reply) => {
    const { token, operator } = await readLink(context, request)
    return sendPage(reply, renderEnrolment(describeEnrolment(context, token, operator)))
  })
  app.post('/enrol/:token/totp', (request, reply) => enrolTotp(context, request, reply))
  app.post('/enrol/:token/passkey/options', async request => {
    requireConsoleOrigin(context, request)
    const { token, operator } = await readLink(context, request)
    return await offerPasskey(context, operator, token)
  })
  app.post('/enrol/:token/passkey', (request, reply) => enrolPasskey(context, request, reply))
}

function wordOf({ config }: ConsoleContext, { ip, headers }: FastifyRequest): string {
  return browserWord(config.secret, ip, headers['user-agent'] ?? '')
}

async function signIn(context: ConsoleContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  try {
    requireConsoleOrigin(context, request)
    const form = await readForm(request)
    const name = (form.get('name') ?? '').trim().toLowerCase()
    requireGuess(context, request, name)
    const operatorId = await checkCode(context, name, form.get('code') ?? '')
    await beginOperatorSession(context, reply, operatorId)
    return reply.redirect('/', 303)
  } catch (error) {
    const problem = toProblem(error)
    if (problem.code === 'INTERNAL') throw error
    const fault = problem.code === 'RATE_LIMITED' ? 'Too many attempts. Try again in a minute.' : problem.message
    return sendPage(reply.code(problem.status), renderSignIn({ hasPasskeys: canUsePasskeys(context), fault }))
  }
}

function requireGuess(context: ConsoleContext, { ip }: FastifyRequest, name: string): void {
  requireTokenRate(context, {
    ...{ kind: 'operator', ip, perAddress: GUESSES_OF_ADDRESS },
    ...{ token: Buffer.from(name), perToken: GUESSES_OF_OPERATOR },
  })
}

/** Says the same of a name that there is not and of a code that is wrong. */
async function checkCode({ db, config }: ConsoleContext, name: string, code: string): Promise<string> {
  const found = await findOperator(db, name)
  const sealed = found?.disabled_at === null ? found.totp_sealed : null
  const secret = sealed && Buffer.from(unseal(config.secret, sealed, found!.id), 'hex')
  const step = secret ? findTotpStep(secret, code) : undefined
  if (step === undefined || !(await useTotp(db, found!.id, step)))
    throw new Problem('SIGN_IN_FAILED', { reason: 'The name or the code is wrong, or the code was used before.' })
  return found!.id
}

async function signInByPasskey(
  context: ConsoleContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ next: string }> {
  requireConsoleOrigin(context, request)
  requireTokenRate(context, { kind: 'operator', ip: request.ip, perAddress: GUESSES_OF_ADDRESS })
  const response = request.body as Parameters<typeof checkPasskey>[2]
  await beginOperatorSession(context, reply, await checkPasskey(context, wordOf(context, request), response))
  return { next: '/' }
}

interface OpenLink {
  token: string
  hash: Buffer
  operator: Operator
}

async function readLink(context: ConsoleContext, request: FastifyRequest): Promise<OpenLink> {
  requireTokenRate(context, { kind: 'operator link', ip: request.ip, perAddress: 30 })
  const { token } = request.params as { token: string }
  const hash = hashEnrolmentToken(context.config.secret, token)
  const operator = await findOperatorByLink(context.db, hash)
  if (!operator) throw createStaleLinkProblem()
  return { token, hash, operator }
}

function createStaleLinkProblem(): Problem {
  return new Problem('GONE', {
    reason: 'The link was used or is too old. npm run -s cli -- operator link NAME prints a new one.',
  })
}

function describeEnrolment(context: ConsoleContext, token: string, operator: Operator, fault?: string) {
  const secret = deriveTotpSecret(context.config.secret, token)
  const { hostname } = new URL(context.config.console.url)
  const uri = formatTotpUri(secret, operator.name, `coinop ${hostname}`)
  return { token, operator, uri, fault, hasPasskeys: canUsePasskeys(context) }
}

async function enrolTotp(context: ConsoleContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  requireConsoleOrigin(context, request)
  const { token, hash, operator } = await readLink(context, request)
  const secret = deriveTotpSecret(context.config.secret, token)
  const step = findTotpStep(secret, (await readForm(request)).get('code') ?? '')
  if (step === undefined) {
    const fault = 'This is not the code that the app shows now. Is the clock of your phone right?'
    return sendPage(reply.code(400), renderEnrolment(describeEnrolment(context, token, operator, fault)))
  }
  const sealed = seal(context.config.secret, secret.toString('hex'), operator.id)
  if (!(await setTotp(context.db, hash, { sealed, step }))) throw createStaleLinkProblem()
  await beginOperatorSession(context, reply, operator.id)
  return reply.redirect('/', 303)
}

async function enrolPasskey(
  context: ConsoleContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ next: string }> {
  requireConsoleOrigin(context, request)
  const link = await readLink(context, request)
  const response = request.body as Parameters<typeof acceptPasskey>[2]['response']
  const name = (request.headers['user-agent'] ?? 'a browser').slice(0, 100)
  if (!(await acceptPasskey(context, link, { response, name }))) throw createStaleLinkProblem()
  await beginOperatorSession(context, reply, link.operator.id)
  return { next: '/' }
}
