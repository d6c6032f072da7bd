import { describeScope, includeReading } from '../../../../oauth/scopes.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'

/** What a connector may do, in words. */
export function renderScopes(scopes: readonly string[]): Html {
  return html`<ul class="plain">${includeReading(scopes).map(scope => html`<li>${describeScope(scope)}</li>`)}</ul>`
}
