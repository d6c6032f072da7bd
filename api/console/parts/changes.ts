import type { AdminChange } from '../../../sql/admin/settings.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import type { OperatorSession } from '../access/session.ts'
import { renderAct, renderTable } from './layout.ts'

/** Changes of settings or prices, each with a button that takes it back. */
export function renderChanges(session: OperatorSession, changes: readonly AdminChange[], back: string): Html {
  const lines = changes.map(change => {
    const { id, name, before, after, actor, state, created_at: at, due_at: due } = change
    const fields = html`<input type="hidden" name="back" value="${back}">`
    const act = { action: `/changes/${id}/undo`, label: state === 'scheduled' ? 'Cancel' : 'Undo', fields }
    const canUndo = session.operator.role === 'full' && state !== 'cancelled'
    const when = state === 'scheduled' ? html`due ${renderTime(due)}` : renderTime(at)
    return html`<tr><td class="when">${when}</td><td>${name}</td><td>${formatChanged(before)}</td><td>${formatChanged(after)}</td><td>${actor}</td><td>${state}</td><td>${canUndo && renderAct(session, { ...act, needsReason: false })}</td></tr>`
  })
  return renderTable(['When', 'Name', 'Before', 'After', 'By', 'State', 'Take back'], lines, 'Nothing was changed.')
}

function formatChanged(value: unknown): string {
  if (value === null) return 'default'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
