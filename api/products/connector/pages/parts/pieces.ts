import { includeReading, type Scope } from '../../../../oauth/scopes.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'

const TEXTS: Record<Scope, string> = {
  'mcp:read': 'Read your jobs, their results, your saved pipelines and your balance.',
  'mcp:write': 'Call tools, which spends from your balance, upload files, save pipelines and cancel jobs.',
  'batons:read': 'Read your batons: what they hold, their entries, vectors and tokens.',
  'batons:write': 'Create, write, share and delete batons, which spends from your balance.',
  'leases:read': 'Read your checkpoints, messages, stored files and handoffs.',
  'leases:write': 'Create, change, hand over and delete them, which spends from your balance.',
}

/** What a connector may do, in words. */
export function renderScopes(scopes: readonly string[]): Html {
  return html`<ul class="plain">${includeReading(scopes).map(scope => html`<li>${TEXTS[scope]}</li>`)}</ul>`
}
