import type { Problem } from '#kit'
import { type Html, html } from './parts/html.ts'
import { renderPublicPage } from './parts/layout.ts'

/** Says what went wrong and links to where to go next. */
export function renderProblemPage(problem: Problem, isSignedIn: boolean): Html {
  const nextLink = isSignedIn
    ? html`<a class="button" href="/dashboard">Go to the dashboard</a>`
    : html`<a class="button" href="/sign-in">Sign in</a>`
  const { reason } = problem.hints
  return renderPublicPage(
    'Error',
    isSignedIn,
    html`<section class="card narrow" role="alert">
<p class="eyebrow">${problem.status} · ${problem.code}</p>
<h1>That did not work</h1>
<p>${problem.message}</p>${typeof reason === 'string' && html`<p class="dim">Reason: ${reason}</p>`}
<p class="row">${nextLink}<a class="button quiet" href="/">Front page</a></p>
</section>`,
  )
}
