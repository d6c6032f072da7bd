import { Problem } from '#kit'
import { approveConnector } from '../../../../sql/connector/approvals.ts'
import type { ApiContext } from '../../../context.ts'
import { returnAfterSignIn, type Session } from '../../../intake/identity/session.ts'
import { type Draft, keepTyped, LIMIT_FAULT, NO_DRAFT, renderField } from '../../../pages/parts/field.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { renderCsrfField, renderPublicPage } from '../../../pages/parts/layout.ts'
import { definePrivatePage, definePublicPage, type PageRequest } from '../../../pages/parts/page.ts'
import { setFormTargets } from '../../../pages/send.ts'
import { parseCap } from '../../../routes/account/schema.ts'
import {
  type AuthorizationRequest,
  answerWithCode,
  answerWithError,
  FaultyRequest,
  needsSignInFirst,
  readAuthorizationRequest,
  readParameters,
} from '../oauth/authorization-request.ts'
import { OAuthError } from '../oauth/failure.ts'
import { describeRedirect, toPolicySource } from '../oauth/redirect-uri.ts'
import { CODE_SECONDS, makeCode } from '../oauth/tokens.ts'
import { renderScopes } from './parts/pieces.ts'

const DEFAULT_LIMIT = '5.00'

/** A user decides here whether an application may act for the account. */
export default [
  definePublicPage('GET /oauth/authorize', (page, context) => withRequest(page, context, showRequest)),
  definePrivatePage('POST /oauth/authorize', (page, context) => withRequest(page, context, decide)),
]

type Page<SessionType> = PageRequest<SessionType>
type Answer = Html | { redirectTo: string }

/** Runs `answer` with the request of the address. A faulty one is shown to the user and leads nowhere by itself. */
async function withRequest<SessionType extends Session | undefined>(
  page: Page<SessionType>,
  context: ApiContext,
  answer: (page: Page<SessionType>, context: ApiContext, asked: AuthorizationRequest) => Promise<Answer> | Answer,
): Promise<Answer> {
  if (!context.settings.get('mcp.enabled')) throw new Problem('NOT_FOUND')
  try {
    const parameters = readParameters(new URL(page.request.url, 'http://host').searchParams)
    if (!page.session && needsSignInFirst(parameters)) return sendToSignIn(page, context)
    return await answer(page, context, await readAuthorizationRequest(context, parameters))
  } catch (error) {
    if (error instanceof OAuthError) throw new Problem('CONNECTION_REFUSED', { reason: error.message })
    if (!(error instanceof FaultyRequest)) throw error
    page.reply.code(error.fault.status)
    return renderFault(context, page, error)
  }
}

function sendToSignIn({ request, reply }: Page<unknown>, context: ApiContext): Answer {
  if (!returnAfterSignIn(context, reply, request.url))
    throw new Problem('CONNECTION_REFUSED', { reason: 'The address is too long. Sign in first, then connect again.' })
  return { redirectTo: '/sign-in' }
}

function showRequest(page: Page<Session | undefined>, context: ApiContext, asked: AuthorizationRequest): Answer {
  const { session } = page
  return session ? renderConsent({ ...page, session }, context, asked) : sendToSignIn(page, context)
}

async function decide(page: Page<Session>, context: ApiContext, asked: AuthorizationRequest): Promise<Answer> {
  const { form, session, reply } = page
  setFormTargets(reply, [toPolicySource(asked.redirectUri)])
  if (form.get('decision') !== 'approve') {
    const denial = new OAuthError('access_denied', 'The user did not approve.')
    return { redirectTo: answerWithError(context, asked, denial) }
  }
  let dailyCapMicros: bigint | null
  try {
    dailyCapMicros = parseCap(form.get('day'))
  } catch {
    reply.code(400)
    return renderConsent(page, context, asked, keepTyped(form, { day: LIMIT_FAULT }))
  }
  const { client, redirectUri, challenge, resource, scopes } = asked
  const { code, hash } = makeCode(context)
  const redirectHost = describeRedirect(redirectUri)
  const approval = { redirectUri, redirectHost, challenge, resource, scopes, dailyCapMicros }
  const { accountId } = session.caller
  await approveConnector(
    context.db,
    accountId,
    { clientId: client.id, name: client.name, ...approval },
    { hash, seconds: CODE_SECONDS },
  )
  return { redirectTo: answerWithCode(context, asked, code) }
}

function renderConsent(page: Page<Session>, context: ApiContext, asked: AuthorizationRequest, draft = NO_DRAFT): Html {
  const { request, reply, session } = page
  const { client, redirectUri, scopes } = asked
  setFormTargets(reply, [toPolicySource(redirectUri)])
  const name = client.name ?? 'An application without a name'
  const limit = scopes.some(scope => scope.endsWith(':write')) && renderLimit(draft)
  return renderPublicPage(
    context,
    'Connect an application',
    true,
    html`<section class="card narrow stack">
<h1>Connect ${name}?</h1>
<p>It asks to act for your account. Approve only if you have just started this from it.</p>
<dl class="facts"><dt>Its name</dt><dd>${name}</dd><dt>Published by</dt><dd>${renderPublisher(asked)}</dd><dt>You return to</dt><dd><strong>${describeRedirect(redirectUri)}</strong></dd></dl>
<div><h2>It can</h2>${renderScopes(scopes)}<p class="dim">It cannot manage keys, webhooks, other connectors or top-ups. You can end this at any time under Connectors.</p></div>
<form method="post" action="${request.url}" class="stack">${renderCsrfField(context, session)}${limit}
<button class="button wide" type="submit" name="decision" value="approve">Approve</button>
<button class="button quiet wide" type="submit" name="decision" value="deny" formnovalidate>Cancel</button></form>
<p class="dim">Account <code>${session.caller.accountId}</code></p></section>`,
  )
}

function renderPublisher({ client: { id, isPublished } }: AuthorizationRequest): Html {
  if (isPublished) return html`<strong>${new URL(id).host}</strong>`
  return html`not verified: it chose its name itself`
}

function renderLimit(draft: Draft): Html {
  const attributes = html`inputmode="decimal" autocomplete="off" placeholder="no limit"`
  return renderField({ id: 'day', name: 'day', label: 'Limit per day, USD', value: DEFAULT_LIMIT, attributes }, draft)
}

/** A link instead of a redirect, because anyone may register a client: we send no user to an address of its choice. */
function renderFault(
  context: ApiContext,
  { session }: Page<Session | undefined>,
  { fault, client, returnTo }: FaultyRequest,
): Html {
  return renderPublicPage(
    context,
    'This application cannot be connected',
    session !== undefined,
    html`<section class="card narrow"><p class="eyebrow">${fault.status} · ${fault.code}</p><h1>This application cannot be connected</h1>
<p>${client.name ?? 'The application'} asked in a way that cannot be accepted.</p><p class="dim">Reason: ${fault.message}</p>
<p class="row"><a class="button quiet" rel="noreferrer" href="${returnTo}">Return to ${describeRedirect(returnTo)}</a></p></section>`,
  )
}
