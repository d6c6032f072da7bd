import type { Entry } from '#kit'
import type { SurfaceOptions } from '../entries.ts'
import { priceOf } from '../llms/call-text.ts'
import { callsOf, type HowToPage, howToPath, listHowTos, SUBJECTS } from './load.ts'
import { printPrograms } from './programs.ts'

const FENCES: Readonly<Record<string, string>> = { curl: 'sh', TypeScript: 'ts', Python: 'python', MCP: 'js' }

export function renderHowToIndexText(entries: readonly Entry[], { publicUrl }: SurfaceOptions): string {
  const bySubject = Map.groupBy(listHowTos(entries), ({ subject }) => subject)
  const sections = [...bySubject].map(([subject, pages]) => {
    const lines = pages.map(page => `- [${page.title}](${publicUrl}${howToPath(page)}.md)`)
    return `## ${SUBJECTS[subject]}\n\n${lines.join('\n')}`
  })
  return `# How to\n\n${sections.join('\n\n')}\n`
}

export function renderHowToText(
  page: HowToPage,
  entries: readonly Entry[],
  { isCurlOnly, ...options }: SurfaceOptions & { isCurlOnly?: boolean | undefined },
): string {
  const calls = callsOf(page).map(name => entries.find(entry => entry.name === name)!)
  const programs = printPrograms(page, entries, options.publicUrl)
    .filter(([language]) => !isCurlOnly || language === 'curl')
    .map(([language, code]) => `## ${language}\n\n\`\`\`${FENCES[language]}\n${code}\n\`\`\``)
  const pitfalls = page.pitfalls.map(text => `- ${text}`).join('\n')
  const prices = calls.map(entry => `- \`${entry.name}\`: ${priceOf(entry, options)}`).join('\n')
  return `# ${page.title}\n\n${page.lead}\n\n${programs.join('\n\n')}\n\n## What to look out for\n\n${pitfalls}\n\n## The price\n\n${prices}\n`
}
