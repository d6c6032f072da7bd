import { isUuid, Problem } from '#kit'
import {
  decideVerification,
  listWaitingReviews,
  type ReviewView,
  readForReview,
} from '../../../../sql/idverify/reviews.ts'
import { REASON_CODES } from '../../../../tasks/products/idverify/index.ts'
import { renderTime } from '../../../pages/parts/format.ts'
import { type Html, html } from '../../../pages/parts/html.ts'
import { IGNORE_ENTER } from '../../../pages/parts/ignore-enter.ts'
import { renderDocument } from '../../../pages/parts/layout.ts'
import { defineTokenPage } from '../../../pages/parts/token-page.ts'
import { requireReviewer } from '../reviewer.ts'

const QUEUE_SIZE = 100

export default [
  defineTokenPage('GET /review/identity/{token}', async ({ params, request }, context) => {
    await requireReviewer(context, request.ip, params.token!)
    const waiting = await listWaitingReviews(context.db, QUEUE_SIZE)
    const lines = waiting.map(
      ({ id, type, since, reasonCodes }) =>
        html`<tr><td class="what"><a href="${pathOf(params.token!)}/${id}">${type}</a></td><td>${reasonCodes.join(', ')}</td><td class="when">${renderTime(since)}</td></tr>`,
    )
    const table =
      waiting.length > 0
        ? html`<table class="table lines"><thead><tr><th scope="col">Type</th><th scope="col">What to look at</th><th scope="col">Since</th></tr></thead><tbody>${lines}</tbody></table>`
        : html`<p class="empty">Nothing waits for a decision.</p>`
    return renderReviewPage('Identities to review', html`<section class="card flush">${table}</section>`)
  }),

  defineTokenPage('GET /review/identity/{token}/{id}', async ({ params, request }, context) => {
    await requireReviewer(context, request.ip, params.token!)
    return renderCase(params.token!, params.id!, await readForReview(context.db, requireId(params.id!)))
  }),

  defineTokenPage('POST /review/identity/{token}/{id}', async ({ params, form, request }, context) => {
    const reviewer = await requireReviewer(context, request.ip, params.token!)
    const decision = form.get('decision')
    if (decision === '') return { redirectTo: `${pathOf(params.token!)}/${requireId(params.id!)}` }
    if (decision !== 'approved' && decision !== 'declined') throw new Problem('INVALID_PARAM', { field: 'decision' })
    const chosen = REASON_CODES.filter(code => form.getAll('reason').includes(code))
    const reasonCodes = decision === 'declined' && chosen.length === 0 ? ['REVIEWER_DECLINED'] : chosen
    const note = form.get('note')?.slice(0, 2_000).replaceAll('\u0000', '').toWellFormed() || undefined
    await decideVerification(context.db, requireId(params.id!), { decision, reasonCodes, note, reviewer })
    return { redirectTo: pathOf(params.token!) }
  }),

  defineTokenPage('GET /review/identity/{token}/{id}/{image}', async ({ params, request }, context) => {
    await requireReviewer(context, request.ip, params.token!)
    const { images } = await readForReview(context.db, requireId(params.id!))
    const found = images.find(({ id }) => id === params.image)
    if (!found) throw new Problem('NOT_FOUND')
    const headers = { 'content-type': found.type, 'content-security-policy': "sandbox; default-src 'none'" }
    return { headers, body: await context.store.read(found.key) }
  }),
]

function pathOf(token: string): string {
  return `/review/identity/${encodeURIComponent(token)}`
}

function requireId(id: string): string {
  if (!isUuid(id)) throw new Problem('NOT_FOUND')
  return id
}

function renderCase(token: string, id: string, view: ReviewView): Html {
  const path = `${pathOf(token)}/${id}`
  const images = view.images.map(
    ({ id: image, side, attempt }) =>
      html`<figure class="part"><figcaption class="dim">${side}, attempt ${attempt}</figcaption><div class="preview"><img src="${path}/${image}" alt="${side} of attempt ${attempt}"></div></figure>`,
  )
  const checks = view.checks.map(
    ({ name, result, detail }) =>
      html`<tr><td class="what">${name.replaceAll('_', ' ')}</td><td class="state">${result}</td><td>${detail}</td></tr>`,
  )
  return renderReviewPage(
    'Review an identity',
    html`<p><a href="${pathOf(token)}">← All that wait</a></p>
<section class="card stack"><h2>Images</h2>${view.type !== 'document' && html`<p>The person was asked to show <strong>${view.challenge}</strong>.</p>`}<div class="packs">${images}</div></section>
<section class="card stack"><h2>What was read</h2>${renderFacts(view.document)}${view.subject && html`<h3>What the caller says</h3>${renderFacts(view.subject)}`}</section>
<section class="card flush"><table class="table lines"><thead><tr><th scope="col">Check</th><th scope="col">Result</th><th scope="col">Detail</th></tr></thead><tbody>${checks}</tbody></table></section>
${view.status === 'manual_review' ? renderDecision(path) : html`<p role="status">It is ${view.decision ?? view.status}.</p>`}`,
  )
}

function renderFacts(facts: object | null): Html {
  if (!facts) return html`<p class="dim">Nothing.</p>`
  const flat = Object.entries(facts).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? Object.entries(value) : [[name, value]],
  )
  return html`<dl class="facts">${flat.map(([name, value]) => html`<dt>${String(name)}</dt><dd>${String(value ?? '–')}</dd>`)}</dl>`
}

function renderDecision(path: string): Html {
  const reasons = REASON_CODES.map(
    code => html`<li><label><input type="checkbox" name="reason" value="${code}"> ${code}</label></li>`,
  )
  return html`<form method="post" action="${path}" class="card stack"><h2>Decision</h2>
<fieldset><legend>Reasons</legend><ul class="plain">${reasons}</ul></fieldset>
<div class="field"><label for="note">Note for the log</label><textarea id="note" name="note" rows="3" maxlength="2000"></textarea></div>
<div class="row">${IGNORE_ENTER}<button class="button" name="decision" value="approved" type="submit">Approve</button><button class="button danger" name="decision" value="declined" type="submit">Decline</button></div></form>`
}

function renderReviewPage(title: string, content: Html): Html {
  return renderDocument(
    title,
    html`<main id="content" class="work"><header class="head"><h1>${title}</h1></header>${content}</main>`,
  )
}
