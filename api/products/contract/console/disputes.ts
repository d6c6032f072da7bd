import { Problem } from '#kit'
import { openSigningKey } from '../../../../ops/products/witness/index.ts'
import {
  type DueDispute,
  listDueDisputes,
  readEvidenceAsOperator,
  ruleAsOperator,
} from '../../../../sql/contract/disputes.ts'
import { OUTCOMES, signRuling, writeOperatorRuling } from '../../../../tasks/products/contract/index.ts'
import { type ConsoleRequest, defineConsolePage, hasRole } from '../../../console/page.ts'
import { renderAct, renderConsolePage, renderTable } from '../../../console/parts/layout.ts'
import { renderSelect } from '../../../pages/parts/field.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { parseDisputeId, parseEvidenceId } from '../schema.ts'

const SHOWN = 200
const MAX_SUMMARY = 4_000
const MAX_RELIEF = 2_000

const OUTCOME_NAMES = new Map([
  ['for_claimant', 'For the claimant'],
  ['for_respondent', 'For the other side'],
  ['split', 'In part for each'],
  ['dismissed', 'Dismissed'],
  ['inconclusive', 'Cannot be decided'],
])

export const link = { path: '/disputes', title: 'Disputes' }

export default [
  defineConsolePage('GET /disputes', 'read', async ({ session, db }) => {
    const due = await listDueDisputes(db, SHOWN)
    const lines = due.map(
      ({ title, dispute: { disputeId, claimant, claim, createdAt } }) =>
        html`<tr><td class="when">${renderTime(createdAt)}</td><td><a href="/disputes/${disputeId}">${title}</a></td><td>${claimant}</td><td>${claim.slice(0, 120)}</td></tr>`,
    )
    const content = html`<section class="card flush">${renderTable(['Opened', 'Contract', 'Claimant', 'Claim'], lines, 'No dispute waits for the ruling of an operator.')}</section>`
    return renderConsolePage(session, { path: '/disputes', title: 'Disputes', content })
  }),

  defineConsolePage('GET /disputes/{id}', 'read', async ({ session, params, db }) => {
    const due = await findDue(db, params.id!)
    const content = html`${renderCase(due)}${hasRole(session, 'full') && renderRulingForm(session, due)}`
    return renderConsolePage(session, { path: '/disputes', title: due.title, lead: due.dispute.disputeId, content })
  }),

  defineConsolePage('POST /disputes/{id}', 'full', async ({ params, form, db }, { config }) => {
    const due = await findDue(db, params.id!)
    const ruling = writeOperatorRuling(due, readDecision(form), new Date())
    const jws = signRuling(ruling, await openSigningKey(db, config.secret))
    await ruleAsOperator(db, parseDisputeId(params.id!), ruling, jws)
    return { redirectTo: '/disputes' }
  }),

  defineConsolePage('GET /disputes/{id}/evidence/{evidence}', 'read', async ({ params, db }) => {
    const [id, position] = [parseDisputeId(params.id!), parseEvidenceId(params.evidence!)]
    return { download: await readEvidenceAsOperator(db, id, position) }
  }),
]

async function findDue(db: ConsoleRequest['db'], id: string): Promise<DueDispute> {
  const due = (await listDueDisputes(db, SHOWN)).find(({ dispute }) => dispute.disputeId === id)
  if (!due) throw new Problem('NOT_FOUND')
  return due
}

function readDecision(form: URLSearchParams) {
  const outcome = OUTCOMES.find(name => name === form.get('outcome'))
  const summary = (form.get('summary') ?? '').trim()
  if (!outcome) throw new Problem('INVALID_PARAM', { field: 'outcome', oneOf: OUTCOMES })
  if (summary === '') throw new Problem('MISSING_FIELD', { field: 'summary' })
  const reliefSuggested = (form.get('relief') ?? '').trim().slice(0, MAX_RELIEF)
  return { outcome, summary: summary.slice(0, MAX_SUMMARY), reliefSuggested }
}

function renderCase({ document, dispute }: DueDispute): Html {
  const evidence = dispute.evidence.map(
    each =>
      html`<tr><td>${each.id}</td><td>${each.partyKey}</td><td>${each.title}</td><td>${each.text ?? renderFile(dispute.disputeId, each)}</td></tr>`,
  )
  const contract = JSON.stringify(JSON.parse(document), null, 2)
  return html`<section class="card stack"><h2>What ${dispute.claimant} says</h2><blockquote>${dispute.claim}</blockquote><h2>What ${dispute.claimant} wants</h2><blockquote>${dispute.requestedRelief}</blockquote></section>
<section class="card flush"><h2>Evidence</h2>${renderTable(['Id', 'Party', 'Title', 'Text'], evidence, 'None was handed in.')}</section>
<section class="card stack"><h2>The contract</h2><pre class="text" tabindex="0" aria-label="The contract">${contract}</pre></section>`
}

function renderFile(disputeId: string, { id, file, sha256 }: DueDispute['dispute']['evidence'][number]): Html {
  const link =
    file !== null &&
    html`<a href="/disputes/${disputeId}/evidence/${id}" download>${file.name}</a>, ${file.sizeBytes} bytes `
  return html`${link}<span class="mono">SHA-256 ${sha256}</span>`
}

function renderRulingForm(session: ConsoleRequest['session'], { dispute: { disputeId } }: DueDispute): Html {
  const outcomes = OUTCOMES.map(name => [name, OUTCOME_NAMES.get(name) ?? name] as const)
  const fields = html`${renderSelect({ id: 'outcome', name: 'outcome', label: 'Outcome' }, outcomes, undefined)}
<div class="field"><label for="summary">Reasons, which the parties read</label><textarea id="summary" name="summary" rows="6" required maxlength="${MAX_SUMMARY}"></textarea></div>
<div class="field"><label for="relief">What the parties should do</label><textarea id="relief" name="relief" rows="3" maxlength="${MAX_RELIEF}"></textarea></div>`
  const act = {
    action: `/disputes/${disputeId}`,
    label: 'Sign the ruling',
    fields,
    isDangerous: true,
    needsReason: false,
  }
  return html`<section class="card stack"><h2>Ruling</h2><p class="dim">It is signed and cannot be changed.</p>${renderAct(session, act)}</section>`
}
