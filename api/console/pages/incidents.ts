import { isUuid, Problem } from '#kit'
import { openIncidentByOperator, updateIncidentByOperator } from '../../../sql/admin/incidents.ts'
import { INCIDENT_IMPACTS, INCIDENT_STATES, type Incident, listIncidents } from '../../../sql/status/incidents.ts'
import { renderTime } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import type { OperatorSession } from '../access/session.ts'
import { defineConsolePage, hasRole } from '../page.ts'
import { renderAct, renderConsolePage } from '../parts/layout.ts'

const [DAYS, SHOWN] = [365, 100]

export const incidentPages = [
  defineConsolePage('GET /incidents', 'read', async ({ session, db }) => {
    const incidents = await listIncidents(db, DAYS, SHOWN)
    const canWrite = hasRole(session, 'support')
    const content = html`${canWrite && html`<section class="card">${renderOpening(session)}</section>`}
${incidents.length === 0 && html`<section class="card"><p class="empty">No incident in the last year.</p></section>`}
${incidents.map(incident => renderIncident(incident, canWrite ? session : undefined))}`
    return renderConsolePage(session, {
      ...{ path: '/incidents', title: 'Incidents', content },
      lead: 'What customers read on the status page and in its feed.',
    })
  }),

  defineConsolePage('POST /incidents', 'support', async ({ form, db }) => {
    const components = (form.get('components') ?? '').split(',').flatMap(word => word.trim() || [])
    const [title, impact, text] = ['title', 'impact', 'text'].map(name => form.get(name) ?? '') as [
      string,
      string,
      string,
    ]
    await openIncidentByOperator(db, { title, impact, components, text })
    return { redirectTo: '/incidents' }
  }),

  defineConsolePage('POST /incidents/{id}', 'support', async ({ params, form, db }) => {
    if (!isUuid(params.id!)) throw new Problem('NOT_FOUND')
    await updateIncidentByOperator(db, params.id!, { state: form.get('state') ?? '', text: form.get('text') ?? '' })
    return { redirectTo: '/incidents' }
  }),
]

function renderOpening(session: OperatorSession): Html {
  const fields = html`<div class="field"><label for="title">Title</label><input id="title" name="title" required maxlength="200"></div>
${renderChoice('impact', 'Impact', INCIDENT_IMPACTS)}
<div class="field"><label for="components">Components, such as api, lane:native</label><input id="components" name="components" maxlength="500"></div>
${renderText('text', 'What customers read')}`
  return renderAct(session, { action: '/incidents', label: 'Open an incident', fields, needsReason: false })
}

function renderIncident(
  { id, title, impact, components, resolvedAt, updates }: Incident,
  session: OperatorSession | undefined,
): Html {
  const fields = html`${renderChoice('state', 'State', INCIDENT_STATES, id)}${renderText('text', 'What customers read', id)}`
  const act =
    session &&
    resolvedAt === null &&
    renderAct(session, { action: `/incidents/${id}`, label: 'Add', fields, needsReason: false })
  return html`<section class="card incident"><div class="cap"><h2>${title}</h2><span class="pill ${resolvedAt === null ? 'bad' : 'good'}">${resolvedAt === null ? impact : 'resolved'}</span></div>
<p class="dim small">${components.join(', ') || 'the whole service'}</p>
<ul>${updates.map(({ state, text, at }) => html`<li><p><strong>${state}</strong> <span class="when">${renderTime(at)} UTC</span></p><p class="said">${text}</p></li>`)}</ul>${act}</section>`
}

function renderChoice(name: string, label: string, choices: readonly string[], of = 'new'): Html {
  const id = `${name}-${of}`
  return html`<div class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}">${choices.map(choice => html`<option>${choice}</option>`)}</select></div>`
}

function renderText(name: string, label: string, of = 'new'): Html {
  const id = `${name}-${of}`
  return html`<div class="field"><label for="${id}">${label}</label><textarea id="${id}" name="${name}" rows="3" required maxlength="4000"></textarea></div>`
}
