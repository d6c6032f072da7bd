import { type Entry, PROBLEMS, wireCode } from '#kit'
import { renderCodeSpans } from '../../pages/parts/code-spans.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderCode } from '../../pages/parts/layout.ts'
import { renderCurl, renderPlainCurl } from '../code/curl.ts'
import { renderMcp } from '../code/mcp.ts'
import { renderPython } from '../code/python.ts'
import { renderTypeScript } from '../code/typescript.ts'
import { describeMissing, type SurfaceOptions } from '../entries.ts'
import { findHowToOf, howToPath } from '../how-to/load.ts'
import { priceOf } from '../llms/call-text.ts'
import { describeProblem } from '../openapi/expected-problems.ts'
import { renderFieldTable } from './fields.ts'
import { renderTabs } from './programs.ts'
import { type DocsPage, docsPathOf } from './shell.ts'
import { renderTryForm } from './try-form.ts'

const MISSING = 'Not available on this service, because what it needs is not installed or not set.'

/** The page of one call: what it does and costs, its fields, answer and errors, programs to copy, a form to try it. */
export function describeCallPage(entry: Entry, options: SurfaceOptions): DocsPage {
  const { name, family, method, path, summary, description, params, query, headers, body, reply } = entry
  const howTo = findHowToOf(name)
  const missing = describeMissing(options, entry, MISSING)
  const places = [
    ['Fields of the path', params],
    ['Fields of the query', query],
    ['Headers', headers],
    ['Fields of the body', body],
  ] as const
  const tables = places.map(([label, schema]) => schema && renderFieldTable(schema, label))
  const content = html`<p class="eyebrow"><a href="/docs/${family}">${family}</a></p>
<h1>${name}</h1>
<p class="lead">${renderCodeSpans(summary)}</p>
${howTo && html`<p>How to: <a href="${howToPath(howTo)}">${howTo.title}</a></p>`}
<p class="address"><span class="pill">${method}</span> <code>${path}</code></p>
${missing && html`<p class="note bad">${renderCodeSpans(missing)} <a href="/v1/capabilities">What works here</a></p>`}
<div class="halves"><div>
${description && html`<p>${renderCodeSpans(description)}</p>`}
<p class="price"><strong>Price:</strong> ${priceOf(entry, options)}</p>
<h2 id="fields">Fields</h2>
${tables.some(Boolean) ? tables : html`<p class="dim">None.</p>`}
<h2 id="answer">Answer</h2>
${reply.schema ? renderFieldTable(reply.schema, 'Answer') : html`<p>${reply.contentType ?? 'No body.'}</p>`}
${renderErrors(entry)}</div>
<aside class="code-side" aria-label="Examples and a form to try the call">
${renderPrograms(entry, options)}
<h2 id="try">Try it</h2>
<noscript><p class="dim">The form needs JavaScript; the commands above do not.</p></noscript>
${renderTryForm(entry)}</aside></div>`
  return { path: docsPathOf(entry), title: name, description: summary, content }
}

function renderErrors({ errors }: Entry): Html | false {
  if (errors.length === 0) return false
  const rows = [...new Set(errors)]
    .sort((one, other) => PROBLEMS[one][0] - PROBLEMS[other][0])
    .map(
      code =>
        html`<tr><td>${PROBLEMS[code][0]}</td><td><code>${wireCode(code)}</code></td><td>${describeProblem(code)}</td></tr>`,
    )
  return html`<h2 id="errors">Errors</h2><p class="dim small">Besides those of every call. A failed call is free.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table class="fields"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

/** The first example in four languages, behind tabs that work without a script. */
function renderPrograms(entry: Entry, { publicUrl }: SurfaceOptions): Html {
  const [example] = entry.examples
  if (!example)
    return html`<h2 id="example">The call</h2>${renderCode(renderPlainCurl(entry, publicUrl), 'The call in curl')}`
  const programs = [
    ['curl', renderCurl(entry, example, publicUrl)],
    ['TypeScript', renderTypeScript(entry, example, publicUrl)],
    ['Python', renderPython(entry, example, publicUrl)],
    ['MCP', renderMcp(entry, example)],
  ] as const
  const answer =
    example.answer &&
    html`<p class="small dim">It answers</p>${renderCode(JSON.stringify(example.answer, null, 2), 'The answer')}`
  return html`<h2 id="example">${example.title}</h2>${renderTabs(programs, example.title)}${answer}`
}
