import type { Repository } from './files.ts'

const FILE = /^ops\/decisions\/(\d{4})-[^/]+\.md$/
const CITATION = /\b[Dd]ecisions? (\d{4})(?:(?:, | and | to )(\d{4}))?/g

/** Each decision is cited by what follows it and is in the index, and each citation names a decision that there is. */
export function findDecisionFaults(repository: Repository): string[] {
  const numbers = [...repository.keys()].flatMap(path => FILE.exec(path)?.[1] ?? [])
  const index = repository.get('ops/decisions/README.md') ?? ''
  const citations = [...repository].flatMap(listCitations)
  const cited = new Set(citations.filter(({ path }) => !path.startsWith('ops/decisions/')).map(({ number }) => number))
  return [
    ...numbers
      .filter(number => !index.includes(`[${number}](${number}-`))
      .map(number => `decision ${number} is not in ops/decisions/README.md`),
    ...citations
      .filter(({ number }) => !numbers.includes(number))
      .map(({ path, number }) => `${path} cites decision ${number}, which there is not`),
    ...numbers
      .filter(number => !cited.has(number))
      .map(number => `decision ${number} is cited by nothing that follows it`),
  ]
}

function listCitations([path, text]: [path: string, text: string]) {
  const found = [...text.matchAll(CITATION)].flatMap(([, one, other]) => [one!, ...(other ? [other] : [])])
  return found.map(number => ({ path, number }))
}
