import { escapeXml } from '../../../formats/svg/drawing.ts'
import type { Subject } from '../subject.ts'
import type { RuledOut, ScreeningRecord } from './record.ts'
import { STYLE } from './style.ts'

const STATUS_TEXT = {
  clear: 'Clear: no listed name is like this one in the lists named below.',
  review: 'Review: a person must decide.',
  match: 'Match: the name and another fact agree with a listed entry.',
}

interface Cover {
  title: string
  preparedFor?: string
  note?: string
  writtenAt: string
}

type Facts = readonly (readonly [name: string, text: string | undefined])[]
type Match = ScreeningRecord['matches'][number]

/** A report of one screening as a page of HTML that needs nothing else. All that callers and lists wrote is escaped. */
export function renderReport(record: ScreeningRecord, { title, preparedFor, note, writtenAt }: Cover): string {
  const { status, matches, notice, ruledOut } = record
  const facts: Facts = [
    ['Screening', record.screeningId],
    ['Reference', record.referenceId],
    ['Prepared for', preparedFor],
    ['Searched', record.searchedAt],
    ['Written', writtenAt],
    ['Algorithm', `${record.algorithm}, threshold ${record.threshold}`],
    ['Hash of the query', record.queryHash],
  ]
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escapeXml(`${title} ${record.subject.name}`)}</title><style>${STYLE}</style><body>
<h1>${escapeXml(title)}</h1><p class="name">${escapeXml(record.subject.name)}</p>
<p class="status ${status}">${STATUS_TEXT[status]}</p>
${renderFacts(facts)}
${note === undefined ? '' : `<h2>Note</h2><p>${inLines(note)}</p>`}
<h2>Who was searched for</h2>${renderFacts(listSubject(record.subject))}
<h2>What was searched</h2>${renderCoverage(record)}
<h2>Matches: ${matches.length}</h2>
${matches.length === 0 ? '<p>None.</p>' : matches.map(match => renderMatch(match, findDismissal(match, ruledOut))).join('')}
<p class="notice">${escapeXml(notice)}</p></body></html>
`
}

const inLines = (text: string) => escapeXml(text).replace(/\r?\n/g, '<br>')

function renderFacts(facts: Facts): string {
  const lines = facts.flatMap(([name, text]) =>
    text ? [`<div><dt>${escapeXml(name)}</dt><dd>${escapeXml(text)}</dd></div>`] : [],
  )
  return `<dl>${lines.join('')}</dl>`
}

function listSubject(subject: Subject): Facts {
  return [
    ['Name', subject.name],
    ['Type', subject.type],
    ['Other names', subject.aliases.join('; ')],
    ['Born', subject.dob],
    ['Nationality', subject.nationality.join(' ')],
    ['Country', subject.country.join(' ')],
    ['Gender', subject.gender],
    ['Place of birth', subject.placeOfBirth],
    ['Address', subject.address],
    ['Identifiers', subject.identifiers.map(({ type: kind, value }) => `${kind} ${value}`).join('; ')],
  ]
}

/** The widths of the columns of a table, in percent. */
function renderWidths(widths: readonly number[]): string {
  return `<colgroup>${widths.map(width => `<col style="width:${width}%">`).join('')}</colgroup>`
}

function renderCoverage({ coverage }: ScreeningRecord): string {
  const rows = Object.entries(coverage).flatMap(([family, { state, sources, missing }]) => [
    ...sources.map(
      ({ source, title, publisher, version, publishedAt, loadedAt, entries, stale }) =>
        `<tr><td>${escapeXml(family)}</td><td>${escapeXml(title)}<br><span>${escapeXml(`${source}, ${publisher}`)}</span></td><td>${version}</td><td>${escapeXml(publishedAt ?? '')}<br><span>loaded ${escapeXml(loadedAt)}${stale ? ', stale' : ''}</span></td><td class="n">${entries}</td></tr>`,
    ),
    ...missing.map(
      key =>
        `<tr class="missing"><td>${escapeXml(family)}</td><td>${escapeXml(key)}</td><td colspan="3">not loaded, so not searched</td></tr>`,
    ),
    `<tr><td>${escapeXml(family)}</td><td colspan="4">coverage: ${escapeXml(state)}</td></tr>`,
  ])
  return `<table>${renderWidths([13, 38, 10, 28, 11])}<thead><tr><th>Family</th><th>List</th><th>Version</th><th>Published</th><th>Entries</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function findDismissal({ entityId, entryHash }: Match, ruledOut: readonly RuledOut[]): RuledOut | undefined {
  return ruledOut.find(one => one.entityId === entityId && one.entryHash === entryHash)
}

function renderMatch(match: Match, dismissal: RuledOut | undefined): string {
  const { entityId, caption, score, status, list, matchedName, nameType, type, entity, explanation, entryHash } = match
  const verdict = dismissal ? `Dismissed ${dismissal.createdAt}: ${dismissal.reason}` : status
  return `<article><h3>${escapeXml(caption)} <span>${escapeXml(entityId)}</span></h3>
${renderFacts([
  ['Score', `${score.toFixed(3)} (${verdict})`],
  ['Matched name', `${matchedName} (${nameType})`],
  ['Entry', `${list}, ${type}, hash ${entryHash}`],
  ['Names', entity.names.map(({ name }) => name).join('; ')],
  ['Born', entity.dob.join(', ')],
  ['Nationalities', entity.nationalities.join(' ')],
  ['Countries', entity.countries.join(' ')],
  ['Identifiers', entity.identifiers.map(({ type: kind, value }) => `${kind} ${value}`).join('; ')],
  ['Programs', entity.programs.join('; ')],
  ['Positions', entity.positions.map(({ title }) => title).join('; ')],
  ['Listed', entity.listedOn],
  ['Remarks', entity.remarks],
  ['Source', entity.url],
])}
${explanation.length === 0 ? '' : renderExplanation(explanation)}</article>`
}

function renderExplanation(explanation: Match['explanation']): string {
  const rows = explanation.map(
    ({ feature, query, candidate, score, weight }) =>
      `<tr><td>${escapeXml(feature)}</td><td>${escapeXml(query)}</td><td>${escapeXml(candidate)}</td><td class="n">${score}</td><td class="n">${weight}</td></tr>`,
  )
  return `<table>${renderWidths([18, 29, 29, 12, 12])}<thead><tr><th>Compared</th><th>Asked</th><th>Listed</th><th>Likeness</th><th>Weight</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}
