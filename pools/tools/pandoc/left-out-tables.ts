import type { Warning } from '#kit'

const DIRECTIVE = /^( *)\.\. csv-table::/
const SOURCE = /^:(?:file|url):\s*(.*)$/
const MAX_WARNINGS = 50

/** Leaves out the tables of reStructuredText that are in other files, for which the converter would refuse the document. */
export function leaveOutFileTables(text: string): { text: string; warnings: Warning[] } {
  const lines = text.split('\n')
  const sources: string[] = []
  for (let start = 0; start < lines.length; start++) {
    const indent = DIRECTIVE.exec(lines[start]!)?.[1]
    if (indent === undefined) continue
    const end = findBlockEnd(lines, start + 1, indent.length)
    const source = findSource(lines.slice(start + 1, end))
    if (source === undefined) continue
    sources.push(source)
    lines.fill('', start, end)
  }
  const warnings = [...new Set(sources)].slice(0, MAX_WARNINGS).map(source => ({
    code: 'RESOURCE_MISSING',
    message: `The table of ${source.slice(0, 200)} is left out; write its rows into the document.`,
  }))
  return { text: sources.length > 0 ? lines.join('\n') : text, warnings }
}

/** What is indented further than a directive belongs to it. */
function findBlockEnd(lines: readonly string[], start: number, indent: number): number {
  let end = start
  const isInside = (line: string) => line.trim() === '' || line.search(/\S/) > indent
  while (end < lines.length && isInside(lines[end]!)) end++
  return end
}

/** The options of a directive end at a blank line. */
function findSource(block: readonly string[]): string | undefined {
  const blank = block.findIndex(line => line.trim() === '')
  const options = blank < 0 ? block : block.slice(0, blank)
  return options.map(line => SOURCE.exec(line.trim())?.[1]).find(source => source !== undefined)
}
