import { Problem, type StoredOutput } from '#kit'
import type { JobRecord } from '../../../sql/job.ts'
import { readObject } from '../../../sql/object.ts'
import { HEAD_BYTES, recogniseTypes } from '../../../tasks/formats/file-types/recognise.ts'
import type { ApiContext } from '../../context.ts'
import { formatMoney } from '../../pages/parts/format.ts'
import { type Html, html } from '../../pages/parts/html.ts'
import { renderNotice } from '../../pages/parts/layout.ts'
import { readHead } from '../../pages/parts/outputs/files.ts'
import { previewKind } from '../../pages/parts/outputs/preview.ts'
import { renderResult } from '../../pages/parts/outputs/result.ts'
import { isUnfinished } from '../../routes/jobs/schema.ts'
import { printCurl } from '../../surfaces/code/program/curl.ts'
import { printMcp } from '../../surfaces/code/program/mcp.ts'
import { printPython } from '../../surfaces/code/program/python.ts'
import { printTypeScript } from '../../surfaces/code/program/typescript.ts'
import { renderTabs } from '../../surfaces/docs/programs.ts'
import { explainToVisitor } from './refusal.ts'
import type { TrialResult } from './token.ts'
import type { Try } from './tries.ts'

interface Shown {
  accountId: string
  result: TrialResult
  job: JobRecord
  attempt: Try
  /** The token in the address. */
  of: string
}

/** What was tried, what came of it, what it would cost, and the call. */
export async function describeResultPage(context: ApiContext, shown: Shown) {
  const { job, attempt, result } = shown
  const { ticket } = job
  const again = html`<p class="row"><a class="button" href="/sign-in">Get a key</a><a class="button quiet" href="/try/${attempt.name}">Try again</a><a class="plain-link" href="/try">Try something else</a></p>`
  const head = html`<header class="intro"><p class="eyebrow"><a href="/try">Try it</a></p><h1>${attempt.title}</h1></header>`
  if (isUnfinished(ticket)) {
    const content = html`${head}${renderNotice('plain', 'It is still running. This page looks again by itself.')}<p><a href="/try/${attempt.name}/result?of=${shown.of}">Look now</a></p>`
    return { title: attempt.title, description: attempt.lead, content, refreshSeconds: 2 }
  }
  const hasResult = ticket.status === 'succeeded' && job.result !== null && job.result !== undefined
  const content = html`${head}
${hasResult ? renderCost(job) : renderFailure(job)}
${hasResult && (await renderOutcome(context, shown))}
<section class="card stack"><h2>The same call</h2>${renderPrograms(context, attempt, result)}</section>${again}`
  return { title: attempt.title, description: attempt.lead, content }
}

function renderCost({ ticket: { actualMicros } }: JobRecord): Html {
  return html`<p class="note good" role="status">Done. With a key this costs ${formatMoney(actualMicros ?? '0')}; today the house has paid.</p>`
}

function renderFailure({ problem }: JobRecord): Html {
  const text = problem
    ? explainToVisitor(Problem.from(problem)).message
    : 'It has failed, and the reason is no longer stored.'
  return renderNotice('bad', `${text} A failed call is free.`)
}

/** Before and after, where both can be seen. */
async function renderOutcome(context: ApiContext, { accountId, job, attempt, result, of }: Shown): Promise<Html> {
  const address = `/try/${attempt.name}/result`
  const query = `?of=${of}`
  const input = await readInput(context, accountId, result)
  const kind = input && previewKind(input)
  const before =
    (kind === 'picture' || kind === 'page') &&
    html`<section class="card stack before"><h2>Before</h2><p class="preview"><img src="${address}/input${query}" alt="What was tried"></p></section>`
  const after = await renderResult(context, accountId, job, { address, query })
  return before
    ? html`<div class="pair">${before}<div class="stack">${after}</div></div>`
    : html`<div class="stack">${after}</div>`
}

/** The file that was tried, with the type that its content has. */
export async function readInput(
  { db, store }: ApiContext,
  accountId: string,
  { inputKey: key }: TrialResult,
): Promise<StoredOutput | undefined> {
  if (key === undefined) return undefined
  const [record, facts] = await Promise.all([readObject(db, accountId, key), store.stat(key)])
  if (!record || record.isExpired || !facts) return undefined
  const file = { key, sizeBytes: facts.sizeBytes, contentType: 'application/octet-stream', name: record.name ?? 'file' }
  const head = await readHead({ store } as ApiContext, file as StoredOutput, HEAD_BYTES)
  const [contentType] = await recogniseTypes(head, head.length === facts.sizeBytes)
  return { ...file, contentType: contentType! } as StoredOutput
}

function renderPrograms({ catalog, config }: ApiContext, attempt: Try, { values }: TrialResult): Html {
  const entry = catalog.entries.find(({ name }) => name === attempt.operation)!
  const file = attempt.file && { file: `sample:${attempt.file.sample}` }
  const step = { call: attempt.operation, entry, input: { ...file, ...attempt.options(values) } }
  const programs = [
    ['curl', printCurl([step], config.publicUrl)],
    ['TypeScript', printTypeScript([step])],
    ['Python', printPython([step])],
    ['MCP', printMcp([step], config.publicUrl)],
  ] as const
  return renderTabs(programs, attempt.title)
}
