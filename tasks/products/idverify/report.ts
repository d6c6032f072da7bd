import { escapeXml } from '../../formats/svg/drawing.ts'

/** What a report says of a verification. */
interface ReportedVerification {
  id: string
  type: string
  status: string
  decision: string | null
  reasonCodes: string[]
  checks: { name: string; result: string; detail: string | null }[]
  document: Record<string, unknown> | null
  age: number | null
  similarity: number | null
  aml: { status: string; screeningId: string } | null
  referenceId: string | null
  attemptsUsed: number
  provider: string | null
  reviewedBy: string | null
  createdAt: string
  updatedAt: string
  purgedAt: string | null
}

const STYLE = `body { font: 10.5pt/1.45 sans-serif; margin: 0 } h1 { font-size: 18pt } h2 { font-size: 12pt; margin-top: 1.4em }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3em .6em; border-bottom: 1px solid #ccc;
vertical-align: top; overflow-wrap: anywhere } th { width: 32% } thead th { width: auto } p { margin: .4em 0 }`

/** The report as HTML, which is printed. Everything that persons and callers have written is text in it. */
export function writeReport(one: ReportedVerification): string {
  const title = `Identity verification ${one.id}`
  const outcome = one.decision ?? one.status.replaceAll('_', ' ')
  const facts = {
    Outcome: outcome,
    Reasons: one.reasonCodes.join(', ') || null,
    'Decided by': describeDecider(one),
    Type: one.type,
    Reference: one.referenceId,
    Created: one.createdAt,
    'As of': one.updatedAt,
    Attempts: one.attemptsUsed,
    Age: one.age,
    'Similarity of faces': one.similarity,
    'Sanctions and politically exposed persons': one.aml && `${one.aml.status} (${one.aml.screeningId})`,
    'Personal data erased': one.purgedAt,
  }
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeXml(title)}</title><style>${STYLE}</style></head>
<body><h1>Identity verification</h1><p>${escapeXml(one.id)}</p>${writeFacts(facts)}
${one.document ? `<h2>Document</h2>${writeFacts(flatten(one.document))}` : ''}
<h2>Checks</h2><table><thead><tr><th>Check</th><th>Result</th><th>Detail</th></tr></thead><tbody>${one.checks.map(writeCheck).join('')}</tbody></table>
<p>This report says what was checked and who has decided. It contains no images, and does not claim more than its checks.</p></body></html>`
}

function describeDecider({ reviewedBy, provider, decision }: ReportedVerification): string | null {
  if (decision === null) return null
  if (reviewedBy === 'operator') return 'a reviewer of the operator'
  return reviewedBy === 'provider' ? `the provider ${provider}` : 'check digits and dates, by machine'
}

function writeFacts(facts: Record<string, unknown>): string {
  const lines = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined)
  const cells = lines.map(([name, value]) => `<tr><th>${escapeXml(name)}</th><td>${escapeXml(String(value))}</td></tr>`)
  return `<table><tbody>${cells.join('')}</tbody></table>`
}

function flatten(document: Record<string, unknown>): Record<string, unknown> {
  const { names, ...others } = document
  const { first, last } = (names ?? {}) as { first?: string | null; last?: string | null }
  return { 'first name': first, 'last name': last, ...others }
}

function writeCheck({ name, result, detail }: ReportedVerification['checks'][number]): string {
  const cells = [name.replaceAll('_', ' '), result, detail ?? '']
  return `<tr>${cells.map(cell => `<td>${escapeXml(cell)}</td>`).join('')}</tr>`
}
