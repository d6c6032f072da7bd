import type { Problem } from '#kit'
import type { ApiContext } from '../context.ts'
import { type Html, html } from './parts/html.ts'
import { renderPublicPage } from './parts/layout.ts'

const TITLES: Record<string, string> = {
  NOT_FOUND: 'There is no such page',
  METHOD_NOT_ALLOWED: 'This address is not a page',
  RATE_LIMITED: 'Too many requests',
  BUSY: 'Busy at the moment',
  CSRF_REJECTED: 'This form is too old',
  SIGN_IN_FAILED: 'The sign-in did not work',
  CONNECTION_REFUSED: 'This application cannot be connected',
}
const TEXTS: Record<string, string> = {
  NOT_FOUND: 'The address may be mistyped, or what was here is gone.',
  METHOD_NOT_ALLOWED: 'Programs call it; a browser has nothing to show here.',
  CSRF_REJECTED: 'Go back, load the page again and send the form once more.',
}

/** Says what went wrong and links to where to go next. */
export function renderProblemPage(context: ApiContext, problem: Problem, isSignedIn: boolean): Html {
  const { code, status, message, hints } = problem
  const nextLink = isSignedIn
    ? html`<a class="button" href="/dashboard">Go to the dashboard</a>`
    : code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED'
      ? html`<a class="button" href="/docs">Read the docs</a>`
      : html`<a class="button" href="/sign-in">Sign in</a>`
  const { reason, didYouMean, allowed } = hints
  return renderPublicPage(
    context,
    TITLES[code] ?? 'Error',
    isSignedIn,
    html`<section class="card narrow">
<p class="eyebrow">${status} · ${code}</p>
<h1>${TITLES[code] ?? 'That did not work'}</h1>
<p>${TEXTS[code] ?? message}</p>${typeof reason === 'string' && code !== 'CSRF_REJECTED' && html`<p class="dim">Reason: ${reason}</p>`}
${typeof didYouMean === 'string' && html`<p>Did you mean <code>${didYouMean}</code>?</p>`}${Array.isArray(allowed) && html`<p>It accepts <code>${allowed.join(', ')}</code>.</p>`}
<p class="row">${nextLink}<a class="button quiet" href="/">Front page</a></p>
</section>`,
  )
}
