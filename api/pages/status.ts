import type { Incident } from '../../sql/status/incidents.ts'
import type { ApiContext } from '../context.ts'
import { DAYS, type StatusReport } from '../status/board.ts'
import type { ComponentState } from '../status/components.ts'
import { renderTime } from './parts/format.ts'
import { type Html, html } from './parts/html.ts'
import { renderNotice, renderPublicPage } from './parts/layout.ts'
import { definePublicPage } from './parts/page.ts'

const STATES: Readonly<Record<ComponentState, { word: string; pill: string; sentence: string }>> = {
  operational: { word: 'works', pill: 'good', sentence: 'Everything works.' },
  degraded: { word: 'degraded', pill: 'wait', sentence: 'Some of it does not work as it should.' },
  down: { word: 'down', pill: 'bad', sentence: 'The service is down.' },
}
const [BAR_WIDTH, HEIGHT] = [8, 28]
/** A day below the first is a bad one, below the second one with gaps. */
const [BAD_DAY, GOOD_DAY] = [0.99, 0.999]

export const statusPages = [
  {
    ...definePublicPage('GET /status', async (_page, context) => renderStatus(context, await context.status.read())),
    isAlone: true,
  },
  {
    ...definePublicPage('GET /status.atom', async (_page, { status, config }) => ({
      headers: { 'content-type': 'application/atom+xml; charset=utf-8', 'cache-control': 'public, max-age=60' },
      body: Buffer.from(renderFeed(await status.read(), config.publicUrl)),
    })),
    isAlone: true,
  },
]

function renderStatus(context: ApiContext, report: StatusReport): Html {
  const open = report.incidents.filter(({ resolvedAt }) => resolvedAt === null)
  const past = report.incidents.filter(({ resolvedAt }) => resolvedAt !== null)
  const { sentence } = STATES[report.state]
  const content = html`<section class="intro"><h1>Status</h1>
${renderNotice(report.state === 'operational' ? 'good' : 'bad', html`<strong>${sentence}</strong> ${report.isCurrent ? '' : html`The database cannot be reached; what follows is as it was at ${renderTime(report.readAt)} UTC.`}`)}
${open.map(renderIncident)}</section>
<section class="card flush status"><ul>${report.components.map(renderComponent)}</ul></section>
<p class="dim small">Measured once a minute from outside the service, in UTC. Grey days have no measurements. Programs read <a href="/v1/status">/v1/status</a>; incidents are a <a href="/status.atom">feed</a>.</p>
<section class="past"><h2>The last 30 days</h2>${past.length === 0 ? html`<p class="dim">No incident has ended in this time.</p>` : past.map(renderIncident)}</section>`
  return renderPublicPage(context, 'Status', false, content)
}

function renderComponent({ title, state, availability, days }: StatusReport['components'][number]): Html {
  const { word, pill } = STATES[state]
  const measured = days.filter(day => day.availability !== null).length
  const share = availability === null ? 'No data' : `${formatShare(availability)} available`
  const label = `${title}: ${share} in ${DAYS} days; ${measured === DAYS ? 'all days' : `${measured} of ${DAYS} days`} were measured`
  const bars = days.map((day, index) => {
    const seen = day.availability === null ? 'no data' : formatShare(day.availability)
    return html`<rect class="${judgeDay(day.availability)}" x="${index * BAR_WIDTH}" y="0" width="${BAR_WIDTH - 2}" height="${HEIGHT}" rx="1"><title>${day.day}: ${seen}</title></rect>`
  })
  return html`<li><div class="cap"><h2>${title}</h2><span class="pill ${pill}">${word}</span></div>
<svg class="days" viewBox="0 0 ${DAYS * BAR_WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
<p class="dim small">${share} in ${DAYS} days</p></li>`
}

function judgeDay(availability: number | null): string {
  if (availability === null) return 'none'
  if (availability >= GOOD_DAY) return 'good'
  return availability >= BAD_DAY ? 'wait' : 'bad'
}

/** Never rounded up to all of it. */
function formatShare(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`
}

function renderIncident({ id, title, impact, resolvedAt, updates }: Incident): Html {
  const pill = resolvedAt === null ? (impact === 'outage' ? 'bad' : 'wait') : 'good'
  return html`<article class="card incident" id="${id}"><div class="cap"><h3>${title}</h3><span class="pill ${pill}">${resolvedAt === null ? impact : 'resolved'}</span></div>
<ul>${updates.map(({ state, text, at }) => html`<li><p><strong>${state}</strong> <span class="when">${renderTime(at)} UTC</span></p><p class="said">${text}</p></li>`)}</ul></article>`
}

/** An Atom feed (RFC 4287) of the incidents: an entry changes with each of its updates. */
function renderFeed({ incidents, readAt }: StatusReport, publicUrl: string): string {
  const newest = incidents.reduce((last, { updatedAt }) => (updatedAt > last ? updatedAt : last), '')
  const entries = incidents.map(({ id, title, openedAt, updatedAt, updates }) => {
    const story = updates.map(({ state, text, at }) => `${toInstant(at)} ${state}: ${text}`).join('\n\n')
    return html`<entry><id>urn:uuid:${id}</id><title>${title}</title><published>${toInstant(openedAt)}</published>
<updated>${toInstant(updatedAt)}</updated><link href="${publicUrl}/status#${id}"/><content type="text">${story}</content></entry>
`
  })
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom"><id>${publicUrl}/status.atom</id><title>Incidents of coinop</title>
<author><name>coinop</name></author><updated>${toInstant(newest || readAt)}</updated>
<link rel="self" href="${publicUrl}/status.atom"/><link href="${publicUrl}/status"/>
${entries}</feed>
`
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.text}`
}

function toInstant(time: string): string {
  return new Date(time).toISOString()
}
