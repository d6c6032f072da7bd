import type { Problem } from '#kit'
import { type Html, html } from './html.ts'
import { openPage } from './layout.ts'

/** What went wrong, in words, with a way on. */
export function problemPage(problem: Problem, isSignedIn: boolean): Html {
  const way = isSignedIn
    ? html`<a class="button" href="/dashboard">To the dashboard</a>`
    : html`<a class="button" href="/sign-in">Sign in</a>`
  const { reason } = problem.hints
  return openPage(
    'Not done',
    isSignedIn,
    html`<section class="card narrow" role="alert">
<p class="eyebrow">${problem.status} · ${problem.code}</p>
<h1>That did not work</h1>
<p>${problem.message}</p>${typeof reason === 'string' && html`<p class="dim">Reason: ${reason}</p>`}
<p class="row">${way}<a class="button quiet" href="/">Front page</a></p>
</section>`,
  )
}
