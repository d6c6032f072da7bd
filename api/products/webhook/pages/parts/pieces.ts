import type { WebhookRecord } from '../../../../../sql/webhook/endpoints.ts'
import { type Html, html } from '../../../../pages/parts/html.ts'
import { renderCode } from '../../../../pages/parts/layout.ts'

export function renderNewSecret(secret: string): Html {
  return html`<section class="card fresh" role="status"><h2>The signing secret</h2><p>Copy it now. It is <strong>shown only once</strong>. Use it to verify what you receive.</p>${renderCode(secret, 'The signing secret')}</section>`
}

export function renderHealth({ active, consecutiveFailures }: WebhookRecord): Html {
  const [tone, name] = active
    ? consecutiveFailures > 0
      ? ['wait', 'failing']
      : ['good', 'active']
    : ['bad', 'disabled']
  return html`<span class="pill ${tone}">${name}</span>`
}
