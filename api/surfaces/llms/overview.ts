import type { Entry } from '#kit'
import { groupByFamily, isPaid, SUMMARY, type SurfaceOptions } from '../entries.ts'
import { buildGuide } from '../guide.ts'

/**
 * The first text that a language model reads, in the form of llmstxt.org. It names every operation and stays below
 * 8 kB, because agents have little room: what a call takes is on the pages it points to.
 */
export function renderOverview(entries: readonly Entry[], options: SurfaceOptions): string {
  const { publicUrl, hasMcp } = options
  const rules = buildGuide(entries, options).map(({ text }) => `- ${text}`)
  const [paid, free] = [entries.filter(isPaid), entries.filter(entry => !isPaid(entry))]
  const pages = [
    `- [One family](${publicUrl}/llms/pdf.txt): a line for each call, with its fields and its price`,
    `- [One call](${publicUrl}/llms/pdf.merge.txt): every field and error, a command to paste, the answer`,
    `- [Search](${publicUrl}/v1/search?q=shrink+photo): the five calls that fit a wish`,
    `- [OpenAPI 3.1](${publicUrl}/openapi.json): also in part, as openapi.json?family=pdf or ?operations=pdf.merge,pdf.split`,
    ...(hasMcp
      ? [`- [MCP](${publicUrl}/mcp): the same calls as tools; ${publicUrl}/mcp/full lists all of them at once`]
      : []),
    `- [Everything](${publicUrl}/llms-full.txt): all pages in one text`,
  ]
  const sections = [
    '# coinop',
    `> ${SUMMARY}`,
    rules.join('\n'),
    '## Pages',
    pages.join('\n'),
    '## Paid calls',
    'A line for each family; `pdf: merge` stands for `pdf.merge`, which is `POST /v1/pdf/merge`.',
    listFamilies(paid),
    '## Free calls',
    listFamilies(free),
  ]
  return `${sections.join('\n\n')}\n`
}

/** `pdf: merge, split` stands for pdf.merge and pdf.split. */
function listFamilies(entries: readonly Entry[]): string {
  return [...groupByFamily(entries)]
    .map(([family, members]) => {
      const verbs = members.map(({ name }) => name.slice(family.length + 1)).join(', ')
      return `- ${family}: ${verbs}`
    })
    .join('\n')
}
