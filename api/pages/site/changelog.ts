import { CHANGELOG, type Release } from '../../surfaces/changelog.ts'
import { renderCodeSpans } from '../parts/code-spans.ts'
import { type Html, html } from '../parts/html.ts'
import { defineSitePage } from '../parts/site.ts'

export const changelogPage = defineSitePage('/changelog', () => ({
  title: 'Changelog',
  description: 'What changed for callers and operators, release by release.',
  content: renderChangelog(),
}))

function renderChangelog(): Html {
  return html`<section class="prose"><h1>Changelog</h1><p class="lead">What changed for callers and operators. Programs read <a href="/v1/changelog">/v1/changelog</a>.</p>${CHANGELOG.map(renderRelease)}</section>`
}

function renderRelease({ version, date, summary, changes }: Release): Html {
  const groups = [...Map.groupBy(changes, ({ kind }) => kind)]
  return html`<article><h2>${version}${date && html` <time class="dim" datetime="${date}">${date}</time>`}</h2>
${summary && html`<p>${renderCodeSpans(summary)}</p>`}
${groups.map(([kind, items]) => html`<h3>${kind}</h3><ul>${items.map(({ text }) => html`<li>${renderCodeSpans(text)}</li>`)}</ul>`)}</article>`
}
